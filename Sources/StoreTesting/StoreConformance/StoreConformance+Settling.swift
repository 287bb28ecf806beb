// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let settling = [
        Check("outcomes are counted slice by slice, by reason and by code") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 10)
            try await store.accept(plan)
            let claimed = try require(try await store.claim().first, "the batch")
            let first: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreSamples.rejection(.badDeviceToken)),
                .init(index: 3, outcome: .failed(.deadline)),
            ]
            let second: [Settlement.Failure] = [
                .init(index: 5, outcome: StoreSamples.rejection(.badDeviceToken)),
                .init(index: 6, outcome: StoreSamples.rejection(RejectionReason(rawValue: "NewReason"))),
                .init(index: 9, outcome: .failed(FailureCode(rawValue: "new-code"))),
            ]
            let half = try await store.settle(
                Settlement(of: claimed, range: 0..<5, failures: first),
                now: StoreSamples.now
            )
            try expectEqual(half, SettlementReceipt(), "the first receipt")
            let status = try require(try await store.notification(plan.notification.id), "the notification")
            try expectEqual(
                status.counts,
                OutcomeCounts(delivered: 3, rejected: [.badDeviceToken: 1], failed: [.deadline: 1]),
                "the counts in between"
            )
            try expect(!status.isDone && status.remaining == 5, "the notification is done too early")
            let whole = try await store.settle(
                Settlement(of: claimed, range: 5..<10, failures: second),
                now: StoreSamples.now
            )
            try expectEqual(whole, SettlementReceipt(batchSettled: true, notificationSettled: true), "the last receipt")
            let done = try require(try await store.notification(plan.notification.id), "the notification")
            let expected = OutcomeCounts(
                delivered: 5,
                rejected: [.badDeviceToken: 2, RejectionReason(rawValue: "NewReason"): 1],
                failed: [.deadline: 1, FailureCode(rawValue: "new-code"): 1]
            )
            try expectEqual(done.counts, expected, "the counts")
            try expectEqual(done.batches.map(\.lifecycle.state), [.settled], "the state")
            try expectEqual(try await store.claim(now: StoreSamples.after(1000)).count, 0, "what is left to claim")
        },
        Check("a settlement that is repeated counts once and prunes once") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 4)
            try await store.accept(plan)
            let claimed = try require(try await store.claim().first, "the batch")
            let failures = [Settlement.Failure(index: 1, outcome: .failed(.connection))]
            for range in [0..<2, 2..<4] {
                let settlement = Settlement(of: claimed, range: range, failures: range.contains(1) ? failures : [])
                let first = try await store.settle(settlement, now: StoreSamples.now)
                try expect(!first.wasRepeated, "a first settlement counts as repeated")
                let again = try await store.settle(settlement, now: StoreSamples.now)
                try expect(again.wasRepeated, "a repeated settlement counts as a first one")
                try expect(!again.notificationSettled, "a repeated settlement settles the notification again")
            }
            let status = try require(try await store.notification(plan.notification.id), "the notification")
            try expectEqual(status.counts, OutcomeCounts(delivered: 3, failed: [.connection: 1]), "the counts")
        },
        Check("the receipt says how many devices were pruned and suspected") { store in
            try await store.addSampleApp()
            for number in 0..<3 {
                let name = InstallationID(unchecked: "\(number)")
                try await store.register(StoreSamples.registration(name, token: number), now: StoreSamples.now)
            }
            try await store.accept(StoreSamples.plan(targets: 5))
            let claimed = try require(try await store.claim().first, "the batch")
            let time = StoreSamples.milliseconds(after: 1)
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreSamples.rejection(.unregistered, inactiveSince: time)),
                .init(index: 1, outcome: StoreSamples.rejection(.badDeviceToken)),
                .init(index: 2, outcome: StoreSamples.rejection(.unregistered, inactiveSince: time - 1001)),
                .init(index: 3, outcome: StoreSamples.rejection(.unregistered, inactiveSince: time)),
                .init(index: 4, outcome: StoreSamples.rejection(.badDeviceToken)),
            ]
            let receipt = try await store.settle(
                Settlement(of: claimed, range: 0..<5, failures: failures),
                now: StoreSamples.now
            )
            try expectEqual(receipt.pruned, 1, "how many devices were pruned")
            try expectEqual(receipt.suspected, 1, "how many devices were suspected")
        },
        Check("a settlement that does not fit its batch is refused whole") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 4)
            try await store.accept(plan)
            let claimed = try require(try await store.claim().first, "the batch")
            let stray = Settlement.Failure(index: 3, outcome: .failed(.deadline))
            let settlements: [(StoreError.Code, Settlement)] = [
                (.invalid, Settlement(of: claimed, range: 0..<5, failures: [])),
                (.invalid, Settlement(of: claimed, range: 0..<2, failures: [stray])),
                (.invalid, Settlement(of: claimed, range: 0..<4, failures: [stray, stray])),
                (.leaseLost, Settlement(of: claimed, range: 1..<2, failures: [])),
                (.leaseLost, Settlement(batch: claimed.batch.id, worker: StoreSamples.otherWorker, range: 0..<2)),
            ]
            for (code, settlement) in settlements {
                try await expectError(code, "\(settlement.range) with \(settlement.failures.count) failures") {
                    try await store.settle(settlement, now: StoreSamples.now)
                }
            }
            let status = try require(try await store.notification(plan.notification.id), "the notification")
            try expectEqual(status.counts, OutcomeCounts(), "the counts")
        },
        Check("a notification is settled with the last of its batches") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 10_002)
            try await store.accept(plan)
            let claimed = try await store.claim()
            try expectEqual(claimed.count, 2, "how many batches there are")
            for (place, batch) in claimed.reversed().enumerated() {
                let receipt = try await store.settle(
                    Settlement(of: batch, range: 0..<batch.batch.targets.count, failures: []),
                    now: StoreSamples.now
                )
                try expectEqual(receipt.notificationSettled, place == 1, "whether settlement \(place) is the last")
            }
        },
    ]
}
