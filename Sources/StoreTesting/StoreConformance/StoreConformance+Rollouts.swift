// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let rollouts = [
        Check("an activity is started on an audience shard by shard, by one notification that is open until the end") {
            store in
            let asked = try await store.addRollout()
            try expectEqual(try await store.rollout(), asked, "what is stored")
            try expect(try await store.claim().isEmpty, "something is sent before anybody has read the audience")
            let open = try await store.notification(asked.id.notification)
            try expect(open?.isOpen == true, "the notification is not open")
            var rollout = try await store.claimRollout()
            var shard = RolloutSamples.shard(rollout, phones: [1, 2], withoutToken: 3)
            shard.expected = 8
            rollout = try await store.rollOut(shard)
            try expectEqual(rollout, try await store.rollout(), "the rollout behind the first shard")
            try expectEqual(rollout.progress.counts.invited, 2, "how many are invited")
            try expectEqual(rollout.progress.remaining, 3, "how many are left")
            try expect(try await store.claim(.urgent).isEmpty, "a start is urgent")
            let first = try require(try await store.claim(.bulk).first, "the first batch")
            try expectEqual(first.batch.notification, rollout.id.notification, "its notification")
            let tokens = try [101, 102].map { try StoreSamples.target($0) }
            try expectEqual(Array(first.batch.targets), tokens, "where it goes")
            try expect(ActivitySamples.payloads(first)[0].contains(#""event":"start""#), "it is no start")
            // The token of phone 9 was removed since it was read.
            rollout = try await store.rollOut(RolloutSamples.shard(rollout, phones: [3, 9], isLast: true))
            try expectEqual(rollout.state, .done, "the rollout")
            try expectEqual(rollout.progress.counts, .init(invited: 3, withoutToken: 4), "what became of the devices")
            try expectEqual(rollout.progress.remaining, 0, "how many are left at the end")
            try await store.settleAll(first)
            try await store.settleAll(try require(try await store.claim(.bulk).first, "the second batch"))
            let status = try require(try await store.notification(rollout.id.notification), "the notification")
            try expect(status.isDone, "the notification is not settled")
            try expectEqual(status.notification.targetCount, 3, "how many it was sent to")
            let batches = status.batches.map(\.id)
            try expectEqual(batches, batches.sorted(), "the order of its batches")
            try expectEqual(try await store.phones().map(\.state), [.invited, .invited, .invited], "the phones")
            let told = try await store.story().map { "\($0.kind) \($0.detail ?? "")" }
            try expectEqual(told, ["registered ", "rollout-done 3 invited, 4 without a token"], "the timeline")
            try expectEqual(try await store.lesson().lifecycle.state, .pending, "the activity")
        },
        Check("a rollout passes over phones that take part, and starts anew where a start came to nothing") { store in
            _ = try await store.addRollout()
            _ = try await store.tell(ActivitySamples.upload(1))
            _ = try await store.invite(
                [ActivitySamples.phone(2), ActivitySamples.phone(3)],
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            )
            try await store.settleAll(
                try await store.claimOne(),
                failures: [.init(index: 1, outcome: .failed(.connection))]
            )
            let rollout = try await store.rollOut(
                RolloutSamples.shard(try await store.claimRollout(), phones: [1, 2, 3, 4], isLast: true)
            )
            try expectEqual(rollout.progress.counts, .init(invited: 2, takingPart: 2), "what became of the devices")
            let batch = try require(try await store.claim(.bulk).first, "the batch")
            try expectEqual(
                Array(batch.batch.targets),
                try [103, 104].map { try StoreSamples.target($0) },
                "where it goes"
            )
        },
        Check(
            "a shard has the content that is newest when it is written; a phone that tells its token gets what it missed"
        ) { store in
            _ = try await store.addRollout()
            var rollout = try await store.claimRollout()
            rollout = try await store.rollOut(RolloutSamples.shard(rollout, phones: [1]))
            try await store.settleAll(try require(try await store.claim(.bulk).first, "the first batch"))
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#))
            rollout = try await store.rollOut(RolloutSamples.shard(rollout, phones: [2], isLast: true))
            let second = try require(try await store.claim(.bulk).first, "the second batch")
            try expect(ActivitySamples.payloads(second)[0].contains(#"{"n":2}"#), "an old state is sent")
            try await store.settleAll(second)
            let missed = try await store.tell(ActivitySamples.upload(1), now: StoreSamples.after(1))
            try expectEqual(missed?.sent, 1, "what is sent to the phone that missed it")
            let current = try await store.tell(ActivitySamples.upload(2), now: StoreSamples.after(1))
            try expectEqual(current?.sent, 0, "what is sent to the phone that has it")
        },
        Check("a rollout is stopped when its activity is over, and nothing more of it is sent") { store in
            _ = try await store.addRollout()
            var rollout = try await store.claimRollout()
            rollout = try await store.rollOut(RolloutSamples.shard(rollout, phones: [1]))
            let running = try await store.backlog(
                of: rollout.id,
                planner: RolloutSamples.planner,
                leaseDuration: nil,
                now: StoreSamples.now
            )
            try expectEqual(running.isOver, false, "whether it is over before its end")
            _ = try await store.change(ActivityChange(end: .immediate))
            let over = try await store.backlog(
                of: rollout.id,
                planner: RolloutSamples.planner,
                leaseDuration: RolloutSamples.lease,
                now: StoreSamples.now
            )
            try expectEqual(over.isOver, true, "whether it is over behind its end")
            rollout = try await store.rollOut(RolloutSamples.shard(rollout, phones: [2, 3]))
            try expectEqual(rollout.state, .stopped, "the rollout")
            try expectEqual(rollout.progress.reason, "ended", "why")
            try expectEqual(rollout.progress.counts.invited, 1, "how many were invited")
            try expectEqual(try await store.claim(.bulk).count, 1, "how many batches there are")
            let told = try await store.story().last
            try expectEqual(told?.kind, .rolloutStopped, "what the timeline tells")
            try expectEqual(told?.detail, "1 invited, ended", "how far it had come")
            let status = try await store.notification(rollout.id.notification)
            try expectEqual(status?.isOpen, false, "whether the notification is open")
            let claimed = try await store.claimRollouts(
                planner: RolloutSamples.otherPlanner,
                limit: 10,
                leaseDuration: RolloutSamples.lease,
                now: StoreSamples.after(3600)
            )
            try expect(claimed.isEmpty, "it can be claimed again")
        },
        Check("a rollout on a channel has phones subscribe, and passes over those of the other environment") { store in
            try await store.addSampleApp()
            _ = try await store.keep(ChannelSamples.draft("final").made(as: ChannelSamples.id(1)))
            for (number, environment) in [(1, APNsEnvironment.sandbox), (2, .production)] {
                var token = try ActivitySamples.startToken(number, token: 100 + number)
                token.attributesType = "MatchAttributes"
                token.environment = environment
                token.supportsChannels = true
                try await store.keep(token)
            }
            let activity = try ChannelSamples.activity(delivery: .channel)
            _ = try await store.createActivity(
                activity,
                inviting: [],
                rollingOut: RolloutSamples.rollout(),
                now: StoreSamples.now
            )
            let rollout = try await store.rollOut(
                RolloutSamples.shard(try await store.claimRollout(), phones: [1, 2], isLast: true)
            )
            let expected = RolloutProgress.Counts(invited: 1, otherEnvironment: 1)
            try expectEqual(rollout.progress.counts, expected, "what became of the devices")
            let batch = try require(try await store.claim(.bulk).first, "the batch")
            try expect(ActivitySamples.payloads(batch)[0].contains("input-push-channel"), "it does not subscribe")
        },
        Check("a start for an audience keeps its answer and happens once, beside devices or alone") { store in
            try await store.addSampleApp()
            _ = try await store.keep(ActivitySamples.startToken(1, token: 101))
            let rollout = RolloutSamples.rollout()
            let note: AnswerNote<ActivityReceipt> = { receipt in
                receipt.rollout.map { StoreSamples.record("a", of: $0.id.notification, createdAt: StoreSamples.now) }
            }
            let started = try await store.createActivity(
                ActivitySamples.activity(),
                inviting: [ActivitySamples.phone(1)],
                rollingOut: rollout,
                planning: [],
                now: StoreSamples.now,
                noting: note
            )
            try expectEqual(started.rollout, rollout, "the rollout")
            try expectEqual(started.sent, 1, "how many of the devices are sent to")
            try await expectError(.conflict, "an invitation under a key that was used") {
                _ = try await store.invite(
                    [],
                    rollingOut: RolloutSamples.rollout(),
                    to: ActivitySamples.lesson,
                    of: StoreSamples.app,
                    now: StoreSamples.now,
                    noting: note
                )
            }
            try expectEqual(try await store.rollout().id, rollout.id, "the only rollout")
            let shard = RolloutSamples.shard(try await store.claimRollout(), phones: [1], isLast: true)
            let counts = try await store.rollOut(shard).progress.counts
            try expectEqual(counts, .init(takingPart: 1), "what becomes of the device that was named")
        },
        Check("the names of an audience's devices are read in their order, part by part") { store in
            try await store.addSampleApp()
            for number in 0..<6 {
                let profile = DeviceProfile(topics: number.isMultiple(of: 2) ? ["lessons"] : [])
                let name = InstallationID(unchecked: "device \(number)")
                let registration = try StoreSamples.registration(name, token: number, profile: profile)
                try await store.register(registration, now: StoreSamples.now)
            }
            var range = AudienceRange(through: try await store.lastPlace(of: StoreSamples.app))
            let audience = Audience.topic("lessons")
            let first = try await store.installations(of: audience, app: StoreSamples.app, in: range, limit: 2)
            try expectEqual(first.map(\.installation), ["device 0", "device 2"], "the first part")
            range.after = try require(first.last?.place, "a place")
            let rest = try await store.installations(of: audience, app: StoreSamples.app, in: range, limit: 2)
            try expectEqual(rest.map(\.installation), ["device 4"], "the rest")
        },
    ]
}
