// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: settling", .timeLimit(.minutes(20)))
struct SettlingTests {
    @Test("outcomes are counted slice by slice, by reason and by code", arguments: TestStoreBackend.allCases)
    func count(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 10)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let first: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreFixtures.rejection(.badDeviceToken)),
                .init(index: 3, outcome: .failed(.timeout)),
            ]
            let second: [Settlement.Failure] = [
                .init(index: 5, outcome: StoreFixtures.rejection(.badDeviceToken)),
                .init(index: 6, outcome: StoreFixtures.rejection(RejectionReason(rawValue: "NewReason"))),
                .init(index: 9, outcome: .failed(FailureCode(rawValue: "new-code"))),
            ]
            let half = try await store.settle(
                Settlement(of: claimed, range: 0..<5, failures: first),
                now: StoreFixtures.now
            )
            #expect(half == SettlementResult(), "the first receipt")
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(
                status.counts == OutcomeCounts(delivered: 3, rejected: [.badDeviceToken: 1], failed: [.timeout: 1]),
                "the counts in between"
            )
            #expect(!status.isDone && status.remaining == 5, "the notification is done too early")
            let whole = try await store.settle(
                Settlement(of: claimed, range: 5..<10, failures: second),
                now: StoreFixtures.now
            )
            #expect(whole == SettlementResult(batchSettled: true, notificationSettled: true), "the last receipt")
            let done = try #require(try await store.notification(plan.notification.id), "the notification")
            let expected = OutcomeCounts(
                delivered: 5,
                rejected: [.badDeviceToken: 2, RejectionReason(rawValue: "NewReason"): 1],
                failed: [.timeout: 1, FailureCode(rawValue: "new-code"): 1]
            )
            #expect(done.counts == expected, "the counts")
            #expect(done.batches.map(\.lifecycle.state) == [.settled], "the state")
            let claimedCount = try await store.claim(now: StoreFixtures.after(1000)).count
            #expect(claimedCount == 0, "what is left to claim")
        }
    }

    @Test("a settlement that is repeated counts once and prunes once", arguments: TestStoreBackend.allCases)
    func settleAgain(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 4)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let failures = [Settlement.Failure(index: 1, outcome: .failed(.connectionLost))]
            for range in [0..<2, 2..<4] {
                let settlement = Settlement(of: claimed, range: range, failures: range.contains(1) ? failures : [])
                let first = try await store.settle(settlement, now: StoreFixtures.now)
                #expect(!first.wasRepeated, "a first settlement counts as repeated")
                let again = try await store.settle(settlement, now: StoreFixtures.now)
                #expect(again.wasRepeated, "a repeated settlement counts as a first one")
                #expect(!again.notificationSettled, "a repeated settlement settles the notification again")
            }
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(delivered: 3, failed: [.connectionLost: 1]), "the counts")
        }
    }

    @Test("the receipt says how many devices were pruned and suspected", arguments: TestStoreBackend.allCases)
    func receipt(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<3 {
                let name = DeviceID(unchecked: "\(number)")
                try await store.register(StoreFixtures.registration(name, token: number), now: StoreFixtures.now)
            }
            try await store.accept(StoreFixtures.plan(targets: 5))
            let claimed = try #require(try await store.claim().first, "the batch")
            let time = StoreFixtures.milliseconds(after: 1)
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreFixtures.rejection(.unregistered, inactiveSince: time)),
                .init(index: 1, outcome: StoreFixtures.rejection(.badDeviceToken)),
                .init(index: 2, outcome: StoreFixtures.rejection(.unregistered, inactiveSince: time - 1001)),
                .init(index: 3, outcome: StoreFixtures.rejection(.unregistered, inactiveSince: time)),
                .init(index: 4, outcome: StoreFixtures.rejection(.badDeviceToken)),
            ]
            let receipt = try await store.settle(
                Settlement(of: claimed, range: 0..<5, failures: failures),
                now: StoreFixtures.now
            )
            #expect(receipt.pruned == 1, "how many devices were pruned")
            #expect(receipt.suspected == 1, "how many devices were suspected")
        }
    }

    @Test("a settlement that does not fit its batch is refused whole", arguments: TestStoreBackend.allCases)
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 4)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let stray = Settlement.Failure(index: 3, outcome: .failed(.timeout))
            let settlements: [(StoreError.Code, Settlement)] = [
                (.invalid, Settlement(of: claimed, range: 0..<5, failures: [])),
                (.invalid, Settlement(of: claimed, range: 0..<2, failures: [stray])),
                (.invalid, Settlement(of: claimed, range: 0..<4, failures: [stray, stray])),
                (.leaseLost, Settlement(of: claimed, range: 1..<2, failures: [])),
                (.leaseLost, Settlement(batch: claimed.batch.id, worker: StoreFixtures.otherWorker, range: 0..<2)),
            ]
            for (code, settlement) in settlements {
                try await expectError(code, "\(settlement.range) with \(settlement.failures.count) failures") {
                    try await store.settle(settlement, now: StoreFixtures.now)
                }
            }
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.counts == OutcomeCounts(), "the counts")
        }
    }

    @Test("a notification is settled with the last of its batches", arguments: TestStoreBackend.allCases)
    func lastBatch(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 10_002)
            try await store.accept(plan)
            let claimed = try await store.claim()
            #expect(claimed.count == 2, "how many batches there are")
            for (place, batch) in claimed.reversed().enumerated() {
                let receipt = try await store.settle(
                    Settlement(of: batch, range: 0..<batch.batch.targets.count, failures: []),
                    now: StoreFixtures.now
                )
                #expect(receipt.notificationSettled == (place == 1), "whether settlement \(place) is the last")
            }
        }
    }
}
