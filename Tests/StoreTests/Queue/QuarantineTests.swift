// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import SQLStore

@Suite("Stores: quarantine", .timeLimit(.minutes(20)))
struct QuarantineTests {
    @Test(
        "a batch that ends three processes is quarantined, and those that were sent beside it are delivered",
        arguments: TestStoreBackend.allCases
    )
    func poison(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let poison = try StoreFixtures.plan(targets: 3)
            let neighbors = try (0..<4).map { try StoreFixtures.plan(now: StoreFixtures.after(Double($0))) }
            for plan in [poison] + neighbors { try await store.accept(plan) }
            var deaths = 0
            var ended = OutcomeCounts()
            for round in 0..<20 {
                let now = StoreFixtures.after(Double(10 + 61 * round))
                let claim = try await store.claim(
                    lane: .urgent,
                    room: ClaimLimits(total: 10, perKind: 10),
                    worker: WorkerID(unchecked: "worker-\(round)"),
                    leaseDuration: .seconds(60),
                    now: now
                )
                for (code, count) in claim.ended.failed { ended.add(.failed(code), count: count) }
                if claim.batches.contains(where: { $0.batch.notification == poison.notification.id }) {
                    // The process is gone with all that it had claimed.
                    deaths += 1
                    continue
                }
                for claimed in claim.batches {
                    let range = claimed.cursor..<claimed.batch.targets.count
                    try await store.settle(Settlement(of: claimed, range: range, failures: []), now: now)
                }
            }
            #expect(deaths == 3, "how many processes ended")
            #expect(ended.failed == [.quarantined: 3], "what the claims ended")
            let status = try await store.notification(poison.notification.id)
            #expect(status?.batches.map(\.lifecycle.state) == [.failed(.quarantined)], "the state of the batch")
            #expect(status?.counts.failed == [.quarantined: 3], "what its targets came to")
            let listed = try await store.quarantinedItems(of: StoreFixtures.app, kind: nil, after: nil, limit: 10)
            #expect(listed.elements.map(\.kind) == [.batch], "the kinds that are listed")
            #expect(listed.elements.map(\.item) == poison.batches.map { "\($0.id)" }, "the batches that are listed")
            let filter = FailureFilter(isRetryable: true)
            let failures = try await store.deadLetters(
                of: poison.notification.id,
                matching: filter,
                after: nil,
                limit: 10
            )
            #expect(failures.elements.count == 3, "how many targets can be sent to again")
            for plan in neighbors {
                let counts = try await store.notification(plan.notification.id)?.counts
                #expect(counts == OutcomeCounts(delivered: plan.notification.targetCount), "what a neighbor came to")
            }
        }
    }

    @Test("of the suspects no more are leased than there is room for", arguments: TestStoreBackend.allCases)
    func suspects(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<3 { try await store.accept(StoreFixtures.plan(now: StoreFixtures.after(Double(number)))) }
            for round in 0..<2 {
                let claimed = try await store.claim(now: StoreFixtures.after(Double(10 + 61 * round)))
                #expect(claimed.map(\.isSuspect) == [false, false, false], "a claim before")
            }
            var room = ClaimLimits(total: 10, perKind: 10)
            for suspects in [0, 1, 1, 1, 0] {
                room.suspects = suspects
                let claim = try await store.claim(
                    lane: .urgent,
                    room: room,
                    worker: StoreFixtures.worker,
                    leaseDuration: .seconds(60),
                    now: StoreFixtures.after(140)
                )
                #expect(claim.batches.map(\.isSuspect) == Array(repeating: true, count: suspects), "a claim")
            }
        }
    }

    @Test(
        "a suspect batch and another suspect item are not tried at the same time",
        arguments: TestStoreBackend.allCases
    )
    func besideSuspectItem(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.accept(StoreFixtures.plan())
            for round in 0..<2 { _ = try await store.claim(now: StoreFixtures.after(Double(10 + 61 * round))) }
            try await store.accept(StoreFixtures.plan(now: StoreFixtures.after(135)))
            try await store.sql.run(
                """
                INSERT INTO interruptions (kind, key, item, count, interrupted_at, tried_at)
                VALUES ('campaign', 'a', 'a', \(Interruptions.maximum - 1), \(StoreFixtures.after(136)),
                    \(StoreFixtures.after(137)))
                """
            )
            #expect(try await store.claim(now: StoreFixtures.after(140)).map(\.isSuspect) == [false], "during a trial")
            try await store.sql.run("UPDATE interruptions SET tried_at = NULL")
            let suspects = try await store.claim(now: StoreFixtures.after(141))
            #expect(suspects.map(\.isSuspect) == [true], "before the trial")
            // Its key is invalid, so a trial would remove it.
            let waiting: SQL = "SELECT 1 FROM interruptions WHERE kind = 'campaign'"
            try await store.tryNextSuspect(now: StoreFixtures.after(142))
            #expect(try await store.sql.finds(waiting), "while a suspect batch is leased")
            let batch = try #require(suspects.first)
            try await store.settle(
                Settlement(of: batch, range: 0..<batch.batch.targets.count, failures: []),
                now: StoreFixtures.after(143)
            )
            try await store.tryNextSuspect(now: StoreFixtures.after(144))
            #expect(try await !store.sql.finds(waiting), "after it")
        }
    }

    @Test("suspects for which there is no room do not hold up later batches", arguments: TestStoreBackend.allCases)
    func behindSuspects(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<3 { try await store.accept(StoreFixtures.plan(now: StoreFixtures.after(Double(number)))) }
            for round in 0..<2 { _ = try await store.claim(now: StoreFixtures.after(Double(10 + 61 * round))) }
            let later = try StoreFixtures.plan(now: StoreFixtures.after(135))
            try await store.accept(later)
            var room = ClaimLimits(total: 2, perKind: 2)
            room.suspects = 1
            let claim = try await store.claim(
                lane: .urgent,
                room: room,
                worker: StoreFixtures.worker,
                leaseDuration: .seconds(60),
                now: StoreFixtures.after(140)
            )
            #expect(claim.batches.map(\.isSuspect) == [true, false])
            #expect(claim.batches.last?.batch.id == later.batches[0].id)
        }
    }
}
