// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: broadcast", .timeLimit(.minutes(5)))
struct BroadcastTests {
    @Test(
        "an activity on a channel is sent there, once for all, as a broadcast and in the order of its changes",
        arguments: StoreInTest.allCases
    )
    func broadcast(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addMatch()
            let receipt = try await store.changeMatch(1)
            #expect(receipt.sent == 1, "how many pushes it makes")
            let first = try await store.claimOne()
            #expect(first.batch.headers.isBroadcast, "whether it is a broadcast")
            #expect(first.batch.headers.topic.rawValue == StoreSamples.app.rawValue, "the app")
            #expect(first.batch.headers.expiration == .once, "how long a channel keeps it that stores nothing")
            let expected = [try ChannelSamples.bound().target]
            #expect(Array(first.batch.targets) == expected, "where it goes")
            // What is overtaken while the first one is on its way is never sent.
            for score in 2...4 {
                let receipt = try await store.changeMatch(score)
                #expect([receipt.sent, receipt.waiting] == [0, 1], "what is sent of the others, and what waits")
            }
            try await store.settleAll(first)
            let last = try await store.claimOne()
            let payload = ActivitySamples.payloads(last)[0]
            #expect(payload.contains(#""score":4"#), "what is sent is \(payload)")
            let timestamps = [first, last].map { ActivitySamples.payloads($0)[0] }
            #expect(timestamps[0] != timestamps[1], "both are \(payload)")
            let lifecycleVersion = try await store.match().lifecycle.version
            #expect(lifecycleVersion == 5, "the version")
        }
    }

    @Test(
        "a broadcast to a channel that stores is kept for as long as an activity can run",
        arguments: StoreInTest.allCases
    )
    func storingChannel(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addMatch(policy: .newestMessage)
            try await store.changeMatch(1)
            let claimed = try await store.claimOne()
            let end = StoreSamples.now.addingTimeInterval(Double(ActivityLimit.runningSeconds))
            #expect(claimed.batch.headers.expiration?.rawValue == Int64(end.timeIntervalSince1970), "the expiration")
            #expect(claimed.batch.headers.isBroadcast, "whether it is a broadcast")
        }
    }

    @Test(
        "phones that told a token are sent what changes beside the channel, each with headers of its own",
        arguments: StoreInTest.allCases
    )
    func phonesBeside(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addMatch()
            let upload = ActivityTokenUpload(
                installation: "old-phone",
                token: try StoreSamples.token(1),
                environment: .production
            )
            _ = try await store.receive(
                upload,
                for: ChannelSamples.match,
                of: StoreSamples.app,
                creating: nil,
                now: StoreSamples.now
            )
            #expect(try await store.match().lifecycle.expiresAt == nil, "when it is over by itself")
            let receipt = try await store.changeMatch(1)
            #expect(receipt.sent == 2, "how many pushes it makes")
            let batches = try await store.claim().map(\.batch)
            #expect(batches.count == 2, "how many batches there are")
            #expect(Set(batches.map(\.headers.isBroadcast)) == [true, false], "what they are")
            for batch in batches {
                let suffix = batch.headers.isBroadcast ? "" : ".push-type.liveactivity"
                #expect(batch.headers.topic.rawValue == StoreSamples.app.rawValue + suffix, "the topic")
            }
            let origins = try await store.phones(ChannelSamples.match).map(\.origin)
            #expect(origins == [.channel, .app], "to whom it is sent")
        }
    }

    @Test(
        "a broadcast that fails is sent with the next change; a channel that is gone is sent nothing more",
        arguments: StoreInTest.allCases
    )
    func failure(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addMatch()
            try await store.changeMatch(1)
            try await store.failBroadcast(.internalServerError)
            let receipt = try await store.changeMatch(2)
            #expect(receipt.sent == 1, "what is sent then")
            try await store.failBroadcast(.channelNotRegistered)
            let sent = try await store.changeMatch(3).sent
            #expect(sent == 0, "what is sent to a channel that is gone")
            let gone = try await store.story(ChannelSamples.match).filter { $0.kind == .channelGone }
            #expect(gone.map(\.detail) == ["ChannelNotRegistered"], "what the timeline says")
            let events = try await store.events(of: StoreSamples.app, after: nil, limit: 100, kinds: nil).events
            let told = events.filter { $0.kind == .activityChannelGone }
            #expect(told.map { $0.data["channel"] } == ["final"], "what the feed tells")
            let states = try await store.phones(ChannelSamples.match).map(\.state)
            #expect(states == [.gone(reason: "ChannelNotRegistered")], "the channel")
        }
    }

    @Test(
        "a push starts an activity on a channel with the identifier where the phone can subscribe",
        arguments: StoreInTest.allCases
    )
    func startOnChannel(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ChannelSamples.draft("final").made(as: ChannelSamples.id(1)))
            let phones: [(InstallationID, APNsEnvironment, Bool)] = [
                ("new", .sandbox, true), ("old", .sandbox, false), ("elsewhere", .production, true),
            ]
            for (number, phone) in phones.enumerated() {
                let token = PushToStartToken(
                    app: StoreSamples.app,
                    installation: phone.0,
                    attributesType: "MatchAttributes",
                    token: try StoreSamples.token(number),
                    environment: phone.1,
                    issuedAt: StoreSamples.now,
                    supportsChannels: phone.2
                )
                try await store.keep(token)
            }
            let all = phones.map(\.0)
            for (delivery, subscribed, reached) in [
                (ActivityDelivery.automatic, 1, 3), (.devices, 0, 3), (.channel, 2, 2),
            ] {
                let activity = try ChannelSamples.activity(ActivityID(unchecked: delivery.rawValue), delivery: delivery)
                let receipt = try await store.createActivity(activity, inviting: all, now: StoreSamples.now)
                #expect(receipt.sent == reached, "how many phones are reached with \(delivery)")
                #expect(receipt.unreachable == (reached == 3 ? [] : ["elsewhere"]), "the others with \(delivery)")
                let claimed = try await store.claimOne()
                let payloads = ActivitySamples.payloads(claimed)
                let count = payloads.count { $0.contains("input-push-channel") }
                #expect(count == subscribed, "how many subscribe with \(delivery)")
                #expect(!claimed.batch.headers.isBroadcast, "whether that is a broadcast")
            }
        }
    }

    @Test(
        "phones that are started when APNs has the channel no more tell tokens, where they may",
        arguments: StoreInTest.allCases
    )
    func startWithoutChannel(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ChannelSamples.draft("final").made(as: ChannelSamples.id(1)))
            let phones = [ActivitySamples.phone(1), ActivitySamples.phone(2)]
            for (number, installation) in phones.enumerated() {
                let token = PushToStartToken(
                    app: StoreSamples.app,
                    installation: installation,
                    attributesType: "MatchAttributes",
                    token: try StoreSamples.token(10 + number),
                    environment: try ChannelSamples.bound().environment,
                    issuedAt: StoreSamples.now,
                    supportsChannels: true
                )
                _ = try await store.keep(token)
            }
            for (delivery, reached) in [(ActivityDelivery.automatic, 2), (.channel, 0)] {
                let id = ActivityID(unchecked: delivery.rawValue)
                let activity = try ChannelSamples.activity(id, policy: .newestMessage, delivery: delivery)
                _ = try await store.createActivity(activity, inviting: [], now: StoreSamples.now)
                let patch = try JSONFragment(json: #"{"score":1}"#)
                _ = try await store.change(ActivityChange(contentState: .patched(patch)), id)
                try await store.failBroadcast(.channelNotRegistered)
                let receipt = try await store.invite(phones, to: id, of: StoreSamples.app, now: StoreSamples.now)
                #expect(receipt?.sent == reached, "how many phones are started with \(delivery)")
                #expect(receipt?.unreachable.count == 2 - reached, "the others with \(delivery)")
                guard reached > 0 else { continue }
                let claimed = try await store.claimOne()
                let payloads = ActivitySamples.payloads(claimed)
                #expect(payloads.count { $0.contains(#""input-push-token":1"#) } == reached, "who tells a token")
            }
        }
    }

    @Test(
        "a channel stays as long as an activity on it is not over, and is none to bind to while it is deleted",
        arguments: StoreInTest.allCases
    )
    func keepChannelInUse(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addMatch()
            let app = StoreSamples.app
            let refused = try await store.beginDeletion(ofChannel: "final", of: app)
            #expect(refused == .inUse(ChannelSamples.match), "what becomes of deleting it")
            _ = try await store.change(ActivityChange(end: .standard), ChannelSamples.match)
            let claimed = try await store.claimOne()
            #expect(ActivitySamples.payloads(claimed)[0].contains(#""event":"end""#), "the end is not broadcast")
            guard case .begun(let channel) = try await store.beginDeletion(ofChannel: "final", of: app) else {
                Issue.record("it cannot be deleted")
                return
            }
            let late = try ChannelSamples.activity("late")
            let error = try await storeError {
                try await store.createActivity(late, inviting: [], now: StoreSamples.now)
            }
            #expect(error?.code == .notFound, "binding to it")
            #expect(try await store.activity("late", of: app) == nil, "what was bound to it")
            try await store.forget(channel)
            // What was broadcast on it is told as it was.
            let matchChannel = try await store.match().channel
            let expected = try ChannelSamples.bound()
            #expect(matchChannel == expected, "the channel of the activity")
        }
    }
}

extension ChannelSamples {
    /// The activity that is broadcast.
    static let match: ActivityID = "match"

    /// How an activity is bound to the channel `final`.
    static func bound(
        policy: MessageStoragePolicy = .noMessage,
        delivery: ActivityDelivery = .automatic
    ) throws -> ActivityChannel {
        let channel = self.draft("final", policy: policy).made(as: self.id(1))
        return try #require(ActivityChannel(channel, delivery: delivery), "the channel")
    }

    /// An activity on that channel.
    static func activity(
        _ id: ActivityID = match,
        policy: MessageStoragePolicy = .noMessage,
        delivery: ActivityDelivery = .automatic
    ) throws -> Activity {
        try Activity(
            id: id,
            app: StoreSamples.app,
            attributesType: "MatchAttributes",
            attributes: JSONFragment(json: "{}"),
            contentState: JSONFragment(json: #"{"score":0}"#),
            startAlert: ActivitySamples.alert,
            channel: self.bound(policy: policy, delivery: delivery),
            now: StoreSamples.now
        )
    }
}

extension ActivityStore where Self: AppStore & BatchStore & ChannelStore {
    /// Adds an app with a channel, and an activity on it.
    fileprivate func addMatch(policy: MessageStoragePolicy = .noMessage) async throws {
        try await self.addSampleApp()
        _ = try await self.keep(ChannelSamples.draft("final", policy: policy).made(as: ChannelSamples.id(1)))
        let activity = try ChannelSamples.activity(policy: policy)
        let receipt = try await self.createActivity(activity, inviting: [], now: StoreSamples.now)
        #expect(receipt.sent == 0, "what is sent when it is made")
    }

    /// Changes the score.
    @discardableResult
    fileprivate func changeMatch(_ score: Int) async throws -> ActivityReceipt {
        let patch = try JSONFragment(json: #"{"score":\#(score)}"#)
        return try await self.change(ActivityChange(contentState: .patched(patch)), ChannelSamples.match)
    }

    /// APNs rejects what is on its way to the channel.
    fileprivate func failBroadcast(_ reason: RejectionReason) async throws {
        let claimed = try await self.claimOne()
        let failure = Settlement.Failure(index: 0, outcome: StoreSamples.rejection(reason))
        try await self.settleAll(claimed, failures: [failure])
    }

    fileprivate func match() async throws -> Activity {
        try await self.lesson(ChannelSamples.match)
    }
}
