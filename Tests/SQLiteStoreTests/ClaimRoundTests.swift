// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLiteStore
import StoreTesting
import Testing

@testable import SQLStore

@Suite("A round of claiming", .timeLimit(.minutes(20)))
struct ClaimRoundTests {
    private static func round(until: Date, now: Date) -> PartialClaim {
        PartialClaim(
            lane: .urgent,
            worker: StoreFixtures.worker,
            until: until,
            now: now,
            logger: .silent,
            room: ClaimLimits(total: 8, perKind: 8)
        )
    }

    @Test("ends a few hundred batches whose time is over, so that other changes do not wait for all of them")
    func bounded() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            for _ in 0..<450 { try await store.accept(StoreFixtures.plan(expiresAt: StoreFixtures.after(5))) }
            let plan = try StoreFixtures.plan(now: StoreFixtures.after(6))
            try await store.accept(plan)
            let next = Self.round(until: StoreFixtures.after(70), now: StoreFixtures.after(10))
            var open = 451
            for _ in 0..<2 {
                let round = try await store.sql.write { transaction in
                    var round = next
                    try round.run(in: transaction)
                    return round
                }
                #expect(!round.isComplete)
                #expect(round.leases.isEmpty)
                let left = try await store.openBatches(of: StoreFixtures.app).reduce(0) { $0 + $1.count }
                #expect((200...210).contains(open - left))
                open = left
            }
            let claimed = try await store.claim(
                lane: .urgent,
                room: next.room,
                worker: StoreFixtures.worker,
                leaseDuration: .seconds(60),
                now: StoreFixtures.after(10)
            )
            #expect(claimed.batches.map(\.batch.id) == [plan.batches[0].id])
            #expect(try await store.openBatches(of: StoreFixtures.app).map(\.count) == [1])
        }
    }

    @Test("is complete where there is no room, or nothing that may be claimed")
    func complete() async throws {
        try await withTemporaryStore { store, _ in
            try await store.addSampleApp()
            for count in [0, 3, 20] {
                for _ in 0..<count { try await store.accept(StoreFixtures.plan()) }
                let next = Self.round(until: StoreFixtures.after(60), now: StoreFixtures.now)
                let round = try await store.sql.write { transaction in
                    var round = next
                    try round.run(in: transaction)
                    return round
                }
                #expect(round.isComplete)
                #expect(round.leases.count == min(8, count))
                #expect(round.room.total == 8 - min(8, count))
            }
        }
    }
}
