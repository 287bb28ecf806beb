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

@Suite("Stores: broadcast", .timeLimit(.minutes(20)))
struct BroadcastTests {
    @Test(
        "an activity on a channel is sent there, once for all, as a broadcast and in the order of its changes",
        arguments: TestStoreBackend.allCases
    )
    func broadcast(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addMatch()
            let receipt = try await store.changeMatch(1)
            #expect(receipt.sent == 1, "how many pushes it makes")
            let first = try await store.claimOne()
            #expect(first.batch.headers.isBroadcast, "whether it is a broadcast")
            #expect(first.batch.headers.topic.rawValue == StoreFixtures.app.rawValue, "the app")
            #expect(first.batch.headers.expiration == .once, "how long a channel keeps it that stores nothing")
            let expected = [try ChannelFixtures.bound().target]
            #expect(Array(first.batch.targets) == expected, "where it goes")
            // What is overtaken while the first one is on its way is never sent.
            for score in 2...4 {
                let receipt = try await store.changeMatch(score)
                #expect([receipt.sent, receipt.pending] == [0, 1], "what is sent of the others, and what waits")
            }
            try await store.settleAll(first)
            let last = try await store.claimOne()
            let payload = ActivityFixtures.payloads(last)[0]
            #expect(payload.contains(#""score":4"#), "what is sent is \(payload)")
            let timestamps = [first, last].map { ActivityFixtures.payloads($0)[0] }
            #expect(timestamps[0] != timestamps[1], "both are \(payload)")
            let lifecycleVersion = try await store.match().lifecycle.version
            #expect(lifecycleVersion == 5, "the version")
        }
    }

    @Test(
        "a broadcast to a channel that stores is kept for as long as an activity can run",
        arguments: TestStoreBackend.allCases
    )
    func storingChannel(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addMatch(policy: .mostRecentMessage)
            try await store.changeMatch(1)
            let claimed = try await store.claimOne()
            let end = StoreFixtures.now.addingTimeInterval(Double(ActivityLimit.runningSeconds))
            #expect(claimed.batch.headers.expiration?.rawValue == Int64(end.timeIntervalSince1970), "the expiration")
            #expect(claimed.batch.headers.isBroadcast, "whether it is a broadcast")
        }
    }

    @Test(
        "phones that told a token are sent what changes beside the channel, each with headers of its own",
        arguments: TestStoreBackend.allCases
    )
    func phonesBeside(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addMatch()
            let upload = UpdateTokenRegistration(
                installation: "old-phone",
                token: try StoreFixtures.token(1),
                environment: .production
            )
            _ = try await store.receive(
                upload,
                for: ChannelFixtures.match,
                of: StoreFixtures.app,
                creating: nil,
                now: StoreFixtures.now
            )
            #expect(try await store.match().lifecycle.expiresAt == nil, "when it is over by itself")
            let receipt = try await store.changeMatch(1)
            #expect(receipt.sent == 2, "how many pushes it makes")
            let batches = try await store.claim().map(\.batch)
            #expect(batches.count == 2, "how many batches there are")
            #expect(Set(batches.map(\.headers.isBroadcast)) == [true, false], "what they are")
            for batch in batches {
                let suffix = batch.headers.isBroadcast ? "" : ".push-type.liveactivity"
                #expect(batch.headers.topic.rawValue == StoreFixtures.app.rawValue + suffix, "the topic")
            }
            let origins = try await store.phones(ChannelFixtures.match).map(\.origin)
            #expect(origins == [.channel, .app], "to whom it is sent")
        }
    }

    @Test(
        "a broadcast that fails is sent with the next change; a channel that is gone is sent nothing more",
        arguments: TestStoreBackend.allCases
    )
    func failure(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addMatch()
            try await store.changeMatch(1)
            try await store.failBroadcast(.internalServerError)
            let receipt = try await store.changeMatch(2)
            #expect(receipt.sent == 1, "what is sent then")
            try await store.failBroadcast(.channelNotRegistered)
            let sent = try await store.changeMatch(3).sent
            #expect(sent == 0, "what is sent to a channel that is gone")
            let gone = try await store.story(ChannelFixtures.match).filter { $0.kind == .channelDeleted }
            #expect(gone.map(\.detail) == ["ChannelNotRegistered"], "what the timeline says")
            let events = try await store.events(of: StoreFixtures.app, after: nil, limit: 100, kinds: nil).events
            let told = events.filter { $0.kind == .activityChannelDeleted }
            #expect(told.map { $0.data["channel"] } == ["final"], "what the feed tells")
            let states = try await store.phones(ChannelFixtures.match).map(\.state)
            #expect(states == [.ended(reason: "ChannelNotRegistered")], "the channel")
        }
    }

    @Test(
        "a push starts an activity on a channel with the identifier where the phone can subscribe",
        arguments: TestStoreBackend.allCases
    )
    func startOnChannel(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ChannelFixtures.draft("final").made(as: ChannelFixtures.id(1)))
            let phones: [(DeviceID, APNsEnvironment, Bool)] = [
                ("new", .sandbox, true), ("old", .sandbox, false), ("elsewhere", .production, true),
            ]
            for (number, phone) in phones.enumerated() {
                let token = PushToStartToken(
                    app: StoreFixtures.app,
                    installation: phone.0,
                    attributesType: "MatchAttributes",
                    token: try StoreFixtures.token(number),
                    environment: phone.1,
                    issuedAt: StoreFixtures.now,
                    supportsChannels: phone.2
                )
                try await store.keep(token)
            }
            let all = phones.map(\.0)
            for (delivery, subscribed, reached) in [
                (PushDeliveryMode.automatic, 1, 3), (.devices, 0, 3), (.channel, 2, 2),
            ] {
                let activity = try ChannelFixtures.activity(
                    ActivityID(unchecked: delivery.rawValue),
                    delivery: delivery
                )
                let receipt = try await store.createActivity(activity, startingOn: all, now: StoreFixtures.now)
                #expect(receipt.sent == reached, "how many phones are reached with \(delivery)")
                #expect(receipt.notStartable == (reached == 3 ? [] : ["elsewhere"]), "the others with \(delivery)")
                let claimed = try await store.claimOne()
                let payloads = ActivityFixtures.payloads(claimed)
                let count = payloads.count { $0.contains("input-push-channel") }
                #expect(count == subscribed, "how many subscribe with \(delivery)")
                #expect(!claimed.batch.headers.isBroadcast, "whether that is a broadcast")
            }
        }
    }

    @Test(
        "phones that are started when APNs has the channel no more tell tokens, where they may",
        arguments: TestStoreBackend.allCases
    )
    func startWithoutChannel(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ChannelFixtures.draft("final").made(as: ChannelFixtures.id(1)))
            let phones = [ActivityFixtures.phone(1), ActivityFixtures.phone(2)]
            for (number, installation) in phones.enumerated() {
                let token = PushToStartToken(
                    app: StoreFixtures.app,
                    installation: installation,
                    attributesType: "MatchAttributes",
                    token: try StoreFixtures.token(10 + number),
                    environment: try ChannelFixtures.bound().environment,
                    issuedAt: StoreFixtures.now,
                    supportsChannels: true
                )
                _ = try await store.keep(token)
            }
            for (delivery, reached) in [(PushDeliveryMode.automatic, 2), (.channel, 0)] {
                let id = ActivityID(unchecked: delivery.rawValue)
                let activity = try ChannelFixtures.activity(id, policy: .mostRecentMessage, delivery: delivery)
                _ = try await store.createActivity(activity, startingOn: [], now: StoreFixtures.now)
                let patch = try RawJSONObject(json: #"{"score":1}"#)
                _ = try await store.change(ActivityChange(contentState: .patched(patch)), id)
                try await store.failBroadcast(.channelNotRegistered)
                let receipt = try await store.start(
                    on: phones,
                    activity: id,
                    of: StoreFixtures.app,
                    now: StoreFixtures.now
                )
                #expect(receipt?.sent == reached, "how many phones are started with \(delivery)")
                #expect(receipt?.notStartable.count == 2 - reached, "the others with \(delivery)")
                guard reached > 0 else { continue }
                let claimed = try await store.claimOne()
                let payloads = ActivityFixtures.payloads(claimed)
                #expect(payloads.count { $0.contains(#""input-push-token":1"#) } == reached, "who tells a token")
            }
        }
    }

    @Test(
        "a channel stays as long as an activity on it is not over, and is none to bind to while it is deleted",
        arguments: TestStoreBackend.allCases
    )
    func keepChannelInUse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addMatch()
            let app = StoreFixtures.app
            let refused = try await store.beginDeletion(ofChannel: "final", of: app)
            #expect(refused == .inUse(ChannelFixtures.match), "what becomes of deleting it")
            _ = try await store.change(ActivityChange(end: .standard), ChannelFixtures.match)
            let claimed = try await store.claimOne()
            #expect(ActivityFixtures.payloads(claimed)[0].contains(#""event":"end""#), "the end is not broadcast")
            guard case .begun(let channel) = try await store.beginDeletion(ofChannel: "final", of: app) else {
                Issue.record("it cannot be deleted")
                return
            }
            let late = try ChannelFixtures.activity("late")
            let error = try await storeError {
                try await store.createActivity(late, startingOn: [], now: StoreFixtures.now)
            }
            #expect(error?.code == .notFound, "binding to it")
            #expect(try await store.activity("late", of: app) == nil, "what was bound to it")
            try await store.forget(channel)
            // What was broadcast on it is told as it was.
            let matchChannel = try await store.match().channel
            let expected = try ChannelFixtures.bound()
            #expect(matchChannel == expected, "the channel of the activity")
        }
    }
}

extension ChannelFixtures {
    /// The activity that is broadcast.
    static let match: ActivityID = "match"

    /// How an activity is bound to the channel `final`.
    static func bound(
        policy: MessageStoragePolicy = .noMessage,
        delivery: PushDeliveryMode = .automatic
    ) throws -> ActivityChannel {
        let channel = self.draft("final", policy: policy).made(as: self.id(1))
        return try #require(ActivityChannel(channel, delivery: delivery), "the channel")
    }

    /// An activity on that channel.
    static func activity(
        _ id: ActivityID = match,
        policy: MessageStoragePolicy = .noMessage,
        delivery: PushDeliveryMode = .automatic
    ) throws -> Activity {
        try Activity(
            id: id,
            app: StoreFixtures.app,
            attributesType: "MatchAttributes",
            attributes: RawJSONObject(json: "{}"),
            contentState: RawJSONObject(json: #"{"score":0}"#),
            startAlert: ActivityFixtures.alert,
            channel: self.bound(policy: policy, delivery: delivery),
            now: StoreFixtures.now
        )
    }
}

extension ActivityStore where Self: AppStore & BatchStore & ChannelStore {
    /// Adds an app with a channel, and an activity on it.
    fileprivate func addMatch(policy: MessageStoragePolicy = .noMessage) async throws {
        try await self.addSampleApp()
        _ = try await self.keep(ChannelFixtures.draft("final", policy: policy).made(as: ChannelFixtures.id(1)))
        let activity = try ChannelFixtures.activity(policy: policy)
        let receipt = try await self.createActivity(activity, startingOn: [], now: StoreFixtures.now)
        #expect(receipt.sent == 0, "what is sent when it is made")
    }

    /// Changes the score.
    @discardableResult
    fileprivate func changeMatch(_ score: Int) async throws -> ActivityUpdateResult {
        let patch = try RawJSONObject(json: #"{"score":\#(score)}"#)
        return try await self.change(ActivityChange(contentState: .patched(patch)), ChannelFixtures.match)
    }

    /// APNs rejects what is on its way to the channel.
    fileprivate func failBroadcast(_ reason: RejectionReason) async throws {
        let claimed = try await self.claimOne()
        let failure = Settlement.Failure(index: 0, outcome: StoreFixtures.rejection(reason))
        try await self.settleAll(claimed, failures: [failure])
    }

    fileprivate func match() async throws -> Activity {
        try await self.lesson(ChannelFixtures.match)
    }
}
