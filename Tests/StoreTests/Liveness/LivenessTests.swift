// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Stores: liveness of workers", .timeLimit(.minutes(20)))
struct LivenessTests {
    @Test(
        "the leases of a terminated worker can be claimed at once, in every table",
        arguments: TestStoreBackend.allCases
    )
    func terminated(kind: TestStoreBackend) async throws {
        try await WorkerInTest.withTwo(kind) { survivor, terminated, lockCount in
            try await Self.addWork(to: survivor.store)
            // A process has several loops.
            let loop = WorkerID(unchecked: "\(terminated.id)/1")
            let leased = try await Self.claimAll(on: terminated.store, by: loop, after: 60)
            #expect(Set(leased.keys) == Set(LeaseTable.all.map(\.kind)), "the kinds of work")
            let early = try await Self.claimAll(on: survivor.store, by: survivor.id, after: 61)
            #expect(early == [:], "claims beside the leases")

            try await terminated.terminate()
            try await waitUntil { try await survivor.store.terminatedWorkers() == [terminated.id] }
            var changes = survivor.store.changes { _ in false }.makeAsyncIterator()
            let expired = try await survivor.store.expireLeases(of: terminated.id, now: StoreFixtures.after(61))
            #expect(expired == leased, "the leases that ended")
            let change = await changes.next()
            #expect(change == .missed, "the signal")
            let again = try await survivor.store.expireLeases(of: terminated.id, now: StoreFixtures.after(61))
            #expect(again == [:], "leases that ended twice")
            let claimed = try await Self.claimAll(on: survivor.store, by: survivor.id, after: 61)
            #expect(claimed == leased, "the next claims")
            let left = try await survivor.store.expireLeases(of: terminated.id, now: StoreFixtures.after(62))
            #expect(left == [:], "leases of the survivor that ended")
        }
    }

    @Test(
        "a worker that does nothing keeps its leases as long as it holds its lock",
        arguments: TestStoreBackend.allCases
    )
    func living(kind: TestStoreBackend) async throws {
        try await WorkerInTest.withTwo(kind) { observer, idle, _ in
            try await Self.addWork(to: observer.store)
            _ = try await Self.claimAll(on: idle.store, by: WorkerID(unchecked: "\(idle.id)/1"), after: 60)
            for _ in 0..<3 {
                let terminated = try await observer.store.terminatedWorkers()
                #expect(terminated == [], "terminated workers")
            }
            let expired = try await observer.store.expireLeases(of: idle.id, now: StoreFixtures.after(61))
            #expect(expired == [:], "the leases that ended")
            let claimed = try await Self.claimAll(on: observer.store, by: observer.id, after: 61)
            #expect(claimed == [:], "claims beside the leases")
        }
    }

    @Test("the leases of another worker whose ID begins alike stay", arguments: TestStoreBackend.allCases)
    func similarID(kind: TestStoreBackend) async throws {
        try await WorkerInTest.withTwo(kind) { survivor, terminated, _ in
            try await Self.addWork(to: survivor.store)
            _ = try await Self.claimAll(
                on: terminated.store,
                by: WorkerID(unchecked: "\(terminated.id)b/1"),
                after: 60
            )
            try await terminated.terminate()
            try await waitUntil { try await survivor.store.terminatedWorkers() == [terminated.id] }
            let expired = try await survivor.store.expireLeases(of: terminated.id, now: StoreFixtures.after(61))
            #expect(expired == [:], "the leases that ended")
        }
    }

    @Test("a worker that stops leaves no lock behind", arguments: TestStoreBackend.allCases)
    func stopped(kind: TestStoreBackend) async throws {
        try await WorkerInTest.withTwo(kind) { observer, stopped, lockCount in
            try await stopped.stop()
            let count = try await lockCount()
            #expect(count == 1, "the locks")
            let terminated = try await observer.store.terminatedWorkers()
            #expect(terminated == [], "terminated workers")
        }
    }

    @Test(
        "a settlement under an expired lease that another worker claimed is rejected",
        arguments: TestStoreBackend.allCases
    )
    func lateSettlement(kind: TestStoreBackend) async throws {
        try await WorkerInTest.withTwo(kind) { survivor, terminated, _ in
            try await survivor.store.addSampleApp()
            try await survivor.store.accept(StoreFixtures.plan(targets: 2))
            let former = try #require(try await survivor.store.claim(by: terminated.id).first, "the first claim")
            try await terminated.terminate()
            try await waitUntil { try await survivor.store.terminatedWorkers() == [terminated.id] }
            let expired = try await survivor.store.expireLeases(of: terminated.id, now: StoreFixtures.now)
            #expect(expired == [.batch: 1], "the leases that ended")
            let claimed = try #require(try await survivor.store.claim(by: survivor.id).first, "the second claim")
            try await expectError(.leaseLost, "a settlement by the terminated worker") {
                try await survivor.store.settle(
                    Settlement(of: former, range: 0..<2, failures: []),
                    now: StoreFixtures.after(1)
                )
            }
            try await survivor.store.settle(
                Settlement(of: claimed, range: 0..<2, failures: []),
                now: StoreFixtures.after(1)
            )
        }
    }

    /// Adds one item of each kind that is leased.
    private static func addWork(to store: any PushStore) async throws {
        for kind in WorkKind.leased { try await kind.add(1, to: store) }
    }

    /// Claims work of every kind; returns how much of each.
    private static func claimAll(
        on store: any PushStore,
        by worker: WorkerID,
        after seconds: Double
    ) async throws -> [WorkKind: Int] {
        var counts: [WorkKind: Int] = [:]
        for kind in WorkKind.leased {
            let count = try await kind.claim(on: store, by: worker, after: seconds).count
            if count > 0 { counts[kind] = count }
        }
        return counts
    }
}
