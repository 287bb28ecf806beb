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

@Suite("Stores: rollouts", .timeLimit(.minutes(20)))
struct RolloutTests {
    @Test(
        "an activity is started on an audience shard by shard, by one notification that is open until the end",
        arguments: TestStoreBackend.allCases
    )
    func rollOut(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let asked = try await store.addRollout()
            let storedRollout = try await store.rollout()
            #expect(storedRollout == asked, "what is stored")
            #expect(try await store.claim().isEmpty, "something is sent before anybody has read the audience")
            let open = try await store.notification(asked.id.notification)
            #expect(open?.isOpen == true, "the notification is not open")
            var rollout = try await store.claimRollout()
            var shard = RolloutFixtures.shard(rollout, phones: [1, 2], withoutToken: 3)
            shard.expected = 8
            rollout = try await store.rollOut(shard)
            let expected = try await store.rollout()
            #expect(rollout == expected, "the rollout behind the first shard")
            #expect(rollout.progress.counts.startsSent == 2, "how many are started")
            #expect(rollout.progress.remaining == 3, "how many are left")
            #expect(try await store.claim(.urgent).isEmpty, "a start is urgent")
            let first = try #require(try await store.claim(.bulk).first, "the first batch")
            #expect(first.batch.notification == rollout.id.notification, "its notification")
            let tokens = try [101, 102].map { try StoreFixtures.target($0) }
            #expect(Array(first.batch.targets) == tokens, "where it goes")
            #expect(ActivityFixtures.payloads(first)[0].contains(#""event":"start""#), "it is no start")
            // The token of phone 9 was removed since it was read.
            rollout = try await store.rollOut(RolloutFixtures.shard(rollout, phones: [3, 9], isLast: true))
            #expect(rollout.state == .completed, "the rollout")
            #expect(rollout.progress.counts == .init(startsSent: 3, withoutToken: 4), "what became of the devices")
            #expect(rollout.progress.remaining == 0, "how many are left at the end")
            try await store.settleAll(first)
            try await store.settleAll(try #require(try await store.claim(.bulk).first, "the second batch"))
            let status = try #require(try await store.notification(rollout.id.notification), "the notification")
            #expect(status.isDone, "the notification is not settled")
            #expect(status.notification.targetCount == 3, "how many it was sent to")
            let batches = status.batches.map(\.id)
            #expect(batches == batches.sorted(), "the order of its batches")
            let states = try await store.phones().map(\.state)
            #expect(states == [.starting, .starting, .starting], "the phones")
            let told = try await store.story().map { "\($0.kind) \($0.detail ?? "")" }
            #expect(told == ["registered ", "rollout_completed 3 started, 4 without a token"], "the timeline")
            let state = try await store.lesson().lifecycle.state
            #expect(state == .pending, "the activity")
        }
    }

    @Test(
        "a rollout passes over phones that take part, and starts anew where a start came to nothing",
        arguments: TestStoreBackend.allCases
    )
    func passOver(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            _ = try await store.tell(ActivityFixtures.upload(1))
            _ = try await store.start(
                on: [ActivityFixtures.phone(2), ActivityFixtures.phone(3)],
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.now
            )
            try await store.settleAll(
                try await store.claimOne(),
                failures: [.init(index: 1, outcome: .failed(.connectionLost))]
            )
            let rollout = try await store.rollOut(
                RolloutFixtures.shard(try await store.claimRollout(), phones: [1, 2, 3, 4], isLast: true)
            )
            #expect(
                rollout.progress.counts == .init(startsSent: 2, alreadyParticipating: 2),
                "what became of the devices"
            )
            let batch = try #require(try await store.claim(.bulk).first, "the batch")
            let expected = try [103, 104].map { try StoreFixtures.target($0) }
            #expect(Array(batch.batch.targets) == expected, "where it goes")
        }
    }

    @Test(
        "a shard has the content that is newest when it is written; a phone that tells its token gets what it missed",
        arguments: TestStoreBackend.allCases
    )
    func newestContent(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            var rollout = try await store.claimRollout()
            rollout = try await store.rollOut(RolloutFixtures.shard(rollout, phones: [1]))
            try await store.settleAll(try #require(try await store.claim(.bulk).first, "the first batch"))
            _ = try await store.change(ActivityFixtures.state(#"{"n":2}"#))
            rollout = try await store.rollOut(RolloutFixtures.shard(rollout, phones: [2], isLast: true))
            let second = try #require(try await store.claim(.bulk).first, "the second batch")
            #expect(ActivityFixtures.payloads(second)[0].contains(#"{"n":2}"#), "an old state is sent")
            try await store.settleAll(second)
            let missed = try await store.tell(ActivityFixtures.upload(1), now: StoreFixtures.after(1))
            #expect(missed?.sent == 1, "what is sent to the phone that missed it")
            let current = try await store.tell(ActivityFixtures.upload(2), now: StoreFixtures.after(1))
            #expect(current?.sent == 0, "what is sent to the phone that has it")
        }
    }

    @Test(
        "a rollout is stopped when its activity is over, and nothing more of it is sent",
        arguments: TestStoreBackend.allCases
    )
    func activityIsOver(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            var rollout = try await store.claimRollout()
            rollout = try await store.rollOut(RolloutFixtures.shard(rollout, phones: [1]))
            let running = try await store.backlog(
                of: rollout.id,
                planner: RolloutFixtures.planner,
                leaseDuration: nil,
                now: StoreFixtures.now
            )
            #expect(!running.isOver, "whether it is over before its end")
            _ = try await store.change(ActivityChange(end: .immediate))
            let over = try await store.backlog(
                of: rollout.id,
                planner: RolloutFixtures.planner,
                leaseDuration: RolloutFixtures.lease,
                now: StoreFixtures.now
            )
            #expect(over.isOver, "whether it is over behind its end")
            rollout = try await store.rollOut(RolloutFixtures.shard(rollout, phones: [2, 3]))
            #expect(rollout.state == .stopped, "the rollout")
            #expect(rollout.progress.reason == "ended", "why")
            #expect(rollout.progress.counts.startsSent == 1, "how many were started")
            let claimedCount = try await store.claim(.bulk).count
            #expect(claimedCount == 1, "how many batches there are")
            let told = try await store.story().last
            #expect(told?.kind == .rolloutStopped, "what the timeline tells")
            #expect(told?.detail == "1 started, ended", "how far it had come")
            let status = try await store.notification(rollout.id.notification)
            #expect(status?.isOpen == false, "whether the notification is open")
            let claimed = try await store.claimRollouts(
                planner: RolloutFixtures.otherPlanner,
                limit: 10,
                leaseDuration: RolloutFixtures.lease,
                now: StoreFixtures.after(3600)
            )
            #expect(claimed.isEmpty, "it can be claimed again")
        }
    }

    @Test(
        "a rollout on a channel has phones subscribe, and passes over those of the other environment",
        arguments: TestStoreBackend.allCases
    )
    func channel(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ChannelFixtures.draft("final").made(as: ChannelFixtures.id(1)))
            for (number, environment) in [(1, APNsEnvironment.sandbox), (2, .production)] {
                var token = try ActivityFixtures.startToken(number, token: 100 + number)
                token.attributesType = "MatchAttributes"
                token.environment = environment
                token.supportsChannels = true
                try await store.keep(token)
            }
            let activity = try ChannelFixtures.activity(delivery: .channel)
            _ = try await store.createActivity(
                activity,
                startingOn: [],
                rollingOut: RolloutFixtures.rollout(),
                now: StoreFixtures.now
            )
            let rollout = try await store.rollOut(
                RolloutFixtures.shard(try await store.claimRollout(), phones: [1, 2], isLast: true)
            )
            let expected = RolloutProgress.Counts(startsSent: 1, otherEnvironment: 1)
            #expect(rollout.progress.counts == expected, "what became of the devices")
            let batch = try #require(try await store.claim(.bulk).first, "the batch")
            #expect(ActivityFixtures.payloads(batch)[0].contains("input-push-channel"), "it does not subscribe")
        }
    }

    @Test(
        "a start for an audience keeps its answer and happens once, beside devices or alone",
        arguments: TestStoreBackend.allCases
    )
    func idempotency(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ActivityFixtures.startToken(1, token: 101))
            let rollout = RolloutFixtures.rollout()
            let note: IdempotencyRecordBuilder<ActivityUpdateResult> = { receipt in
                receipt.rollout.map { StoreFixtures.record("a", of: $0.id.notification, createdAt: StoreFixtures.now) }
            }
            let started = try await store.createActivity(
                ActivityFixtures.activity(),
                startingOn: [ActivityFixtures.phone(1)],
                rollingOut: rollout,
                planning: [],
                now: StoreFixtures.now,
                noting: note
            )
            #expect(started.rollout == rollout, "the rollout")
            #expect(started.sent == 1, "how many of the devices are sent to")
            try await expectError(.conflict, "a start under a key that was used") {
                _ = try await store.start(
                    on: [],
                    rollingOut: RolloutFixtures.rollout(),
                    activity: ActivityFixtures.lesson,
                    of: StoreFixtures.app,
                    now: StoreFixtures.now,
                    noting: note
                )
            }
            let foundID = try await store.rollout().id
            #expect(foundID == rollout.id, "the only rollout")
            let shard = RolloutFixtures.shard(try await store.claimRollout(), phones: [1], isLast: true)
            let counts = try await store.rollOut(shard).progress.counts
            #expect(counts == .init(alreadyParticipating: 1), "what becomes of the device that was named")
        }
    }

    @Test(
        "the names of an audience's devices are read in their order, part by part",
        arguments: TestStoreBackend.allCases
    )
    func installations(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<6 {
                let profile = DeviceProfile(topics: number.isMultiple(of: 2) ? ["lessons"] : [])
                let name = DeviceID(unchecked: "device \(number)")
                let registration = try StoreFixtures.registration(name, token: number, profile: profile)
                try await store.register(registration, now: StoreFixtures.now)
            }
            var range = AudienceRange(through: try await store.lastPlace(of: StoreFixtures.app))
            let audience = Audience.topic("lessons")
            let first = try await store.installations(of: audience, app: StoreFixtures.app, in: range, limit: 2)
            #expect(first.map(\.installation) == ["device 0", "device 2"], "the first part")
            range.after = try #require(first.last?.place, "a place")
            let rest = try await store.installations(of: audience, app: StoreFixtures.app, in: range, limit: 2)
            #expect(rest.map(\.installation) == ["device 4"], "the rest")
        }
    }
}
