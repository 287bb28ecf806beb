// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let activityStarts = [
        Check("phones that tell of an activity at the same time make it once, and all take part") { store in
            try await store.addSampleApp()
            let draft = try ActivitySamples.activity()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let receipt = try await store.receive(
                            ActivitySamples.upload(number),
                            for: draft.id,
                            of: StoreSamples.app,
                            creating: draft,
                            now: StoreSamples.now
                        )
                        try expectEqual(receipt?.state, .active, "the activity of phone \(number)")
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(try await store.phones().count, 12, "how many phones take part")
            let registered = try await store.story().count { $0.kind == .registered }
            try expectEqual(registered, 1, "how often it was registered")
        },
        Check("a phone on which the start came to nothing, or that is gone, can be started on again") { store in
            try await store.addSampleApp()
            for number in 1...3 { _ = try await store.keep(ActivitySamples.startToken(number, token: 10 + number)) }
            let phones = (1...3).map { ActivitySamples.phone($0) }
            _ = try await store.createActivity(ActivitySamples.activity(), inviting: phones, now: StoreSamples.now)
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreSamples.rejection(.unregistered)),
                .init(index: 1, outcome: .failed(.connection)),
            ]
            try await store.settleAll(try await store.claimOne(), failures: failures)
            _ = try await store.keep(ActivitySamples.startToken(1, token: 21, issued: 9))
            let receipt = try await store.invite(
                phones,
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.after(10)
            )
            try expectEqual(receipt?.sent, 2, "how many are started on again")
            let second = try await store.claimOne(now: StoreSamples.after(10))
            let targets = try [21, 12].map { try StoreSamples.target($0) }
            try expectEqual(Array(second.batch.targets), targets, "where")
            try await store.settleAll(second, now: StoreSamples.after(10))
            try expectEqual(try await store.phones().map(\.state), [.invited, .invited, .invited], "the phones")
        },
        Check("a phone that starts an activity anew is brought up to date, however much it was sent before") { store in
            try await store.addLesson()
            _ = try await store.tell(ActivitySamples.upload(2), now: StoreSamples.after(3600))
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#), now: StoreSamples.after(3600))
            try await store.settleAll(try await store.claimOne(now: StoreSamples.after(3600)))
            // Its 8 hours are over, which the next change finds out.
            _ = try await store.change(ActivityChange(relevanceScore: 1), now: StoreSamples.after(8 * 3600))
            try await store.settleAll(try await store.claimOne(now: StoreSamples.after(8 * 3600)))
            try expectEqual(try await store.phones()[0].state, .gone(reason: "expired"), "the phone")
            _ = try await store.tell(ActivitySamples.upload(1, token: 5), now: StoreSamples.after(8 * 3600 + 10))
            let claimed = try await store.claimOne(now: StoreSamples.after(8 * 3600 + 10))
            try expectEqual(Array(claimed.batch.targets), [try StoreSamples.target(5)], "who is sent to")
            try expect(ActivitySamples.payloads(claimed)[0].contains(#"{"n":2}"#), "the newest state is not sent")
        },
        Check("a phone whose clock is ahead can tell another token") { store in
            try await store.addLesson(phones: [])
            _ = try await store.tell(ActivitySamples.upload(1, token: 1, issued: 86_400), now: StoreSamples.after(1))
            _ = try await store.tell(ActivitySamples.upload(1, token: 2, issued: 5), now: StoreSamples.after(5))
            _ = try await store.change(ActivitySamples.state("{}"), now: StoreSamples.after(6))
            let claimed = try await store.claimOne(now: StoreSamples.after(6))
            try expectEqual(Array(claimed.batch.targets), [try StoreSamples.target(2)], "the target")
        },
    ]
}
