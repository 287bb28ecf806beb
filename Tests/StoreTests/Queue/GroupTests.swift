// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import SQLStore

@Suite("Stores: groups of calls", .timeLimit(.minutes(20)))
struct GroupTests {
    /// All that the calls left in a store. The order of the events is not part of it.
    struct Contents: Equatable {
        var statuses: [NotificationStatus?] = []
        var failures: [[TargetOutcome]] = []
        var records: [IdempotencyRecord?] = []
        var devices: [Device] = []
        var events: [String] = []

        init(of store: any PushStore, _ plans: [BatchedNotification]) async throws {
            for plan in plans {
                let id = plan.notification.id
                self.statuses.append(try await store.notification(id))
                self.failures.append(try await store.failures(of: id, after: nil, limit: 100).elements)
            }
            for key in ["used", "twice", "new"] {
                self.records.append(
                    try await store.idempotencyRecord(StoreFixtures.slot(IdempotencyKey(unchecked: key)))
                )
            }
            self.devices = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 100).elements
            for app in [StoreFixtures.app, StoreFixtures.otherApp] {
                self.events += try await store.allEvents(of: app).map { event in
                    "\(app) \(event.time) \(event.kind) \(try String(decoding: event.data.json(), as: UTF8.self))"
                }
            }
            self.events.sort()
        }
    }

    /// Runs a test on two empty stores with two apps.
    private func withStores(
        _ kind: TestStoreBackend,
        _ body: (any PushStore & SQLBacked, any PushStore & SQLBacked) async throws -> Void
    ) async throws {
        try await withStore(kind) { single in
            try await withStore(kind) { group in
                for store in [single, group] {
                    try await store.addSampleApp()
                    try await store.addSampleApp(StoreFixtures.otherApp)
                }
                try await body(single, group)
            }
        }
    }

    /// The error codes of calls; `nil` for a call that succeeds.
    private func codes<Value>(_ results: [Result<Value, any Error>]) -> [StoreError.Code?] {
        results.map { result in
            guard case .failure(let error) = result else { return nil }
            return (error as? StoreError)?.code ?? .invalid
        }
    }

    @Test(
        "requests of one transaction are accepted or rejected as they are one by one",
        arguments: TestStoreBackend.allCases
    )
    func accept(kind: TestStoreBackend) async throws {
        try await self.withStores(kind) { single, group in
            let unknown = try StoreFixtures.plan(app: "com.example.unknown")
            let former = try StoreFixtures.plan()
            var plans = try (0..<40).map { number in
                try StoreFixtures.plan(
                    targets: 1 + number % 3,
                    app: number % 4 == 0 ? StoreFixtures.otherApp : StoreFixtures.app,
                    now: StoreFixtures.after(Double(number))
                )
            }
            plans[5] = unknown
            let keys: [Int: IdempotencyKey] = [6: "used", 9: "twice", 10: "twice", 11: "new"]
            let notes = plans.indices.map { place in
                keys[place].map { AcceptanceAttachment.answer(StoreFixtures.record($0, plans[place])) }
            }
            for store in [single, group] {
                let record = StoreFixtures.record("used", former)
                try await store.accept(former.notification, batches: former.batches, noting: .answer(record))
            }
            var singly: [Result<Void, any Error>] = []
            for (plan, note) in zip(plans, notes) {
                do {
                    try await single.accept(plan.notification, batches: plan.batches, noting: note)
                    singly.append(.success(()))
                } catch {
                    singly.append(.failure(error))
                }
            }
            var changes = group.changes().makeAsyncIterator()
            let together = try await group.sql.accept(
                zip(plans, notes).map { Acceptance($0.notification, $0.batches, $1) }
            )
            #expect(self.codes(together) == self.codes(singly))
            #expect(self.codes(together).compactMap(\.self) == [.notFound, .conflict, .conflict])
            #expect(await changes.nextChange() == .batchReady(.urgent))
            #expect(try await Contents(of: group, plans) == Contents(of: single, plans))
            let claimed = try await group.claim(limit: 1000, now: StoreFixtures.after(100))
            #expect(try await Set(single.claim(limit: 1000, now: StoreFixtures.after(100))) == Set(claimed))
            let expected = zip(plans, singly).filter { (try? $0.1.get()) != nil }.flatMap(\.0.batches)
            #expect(Set(claimed.map(\.batch)) == Set(expected + former.batches))
        }
    }

    @Test(
        "settlements of one transaction are booked or rejected as they are one by one",
        arguments: TestStoreBackend.allCases
    )
    func settle(kind: TestStoreBackend) async throws {
        try await self.withStores(kind) { single, group in
            let plans = try (0..<30).map { try StoreFixtures.plan(targets: 1 + $0 % 3) }
            let parts = try (0..<2).map { number in
                BatchedNotification.Part(
                    lane: .urgent,
                    headers: plans[0].batches[0].headers,
                    payload: plans[0].batches[0].payload,
                    targets: TargetList([try StoreFixtures.target(50 + number)])
                )
            }
            let halves = BatchedNotification(app: StoreFixtures.app, parts: parts, now: StoreFixtures.now)
            for store in [single, group] {
                for number in 0..<3 {
                    _ = try await store.register(StoreFixtures.registration(number), now: StoreFixtures.now)
                }
                for plan in plans + [halves] { try await store.accept(plan) }
                try await store.cancel(plans[3].notification.id, now: StoreFixtures.now)
                let claimed = try await store.claim(limit: 1000)
                try #require(claimed.count == 31)
                try await store.cancel(plans[4].notification.id, now: StoreFixtures.now)
            }
            let items = try self.settlements(plans, halves)
            var singly: [Result<SettlementResult, any Error>] = []
            for item in items {
                do {
                    singly.append(.success(try await single.settle(item.settlement, now: item.time)))
                } catch {
                    singly.append(.failure(error))
                }
            }
            var changes = group.changes().makeAsyncIterator()
            let together = try await group.sql.settle(items).map { $0.map(\.receipt) }
            #expect(self.codes(together) == self.codes(singly))
            let rejected = self.codes(together).compactMap(\.self)
            #expect(rejected == [.leaseLost, .leaseLost, .leaseLost, .invalid])
            #expect(together.map { try? $0.get() } == singly.map { try? $0.get() })
            #expect(try await Contents(of: group, plans + [halves]) == Contents(of: single, plans + [halves]))

            try await group.accept(StoreFixtures.plan(lane: .bulk))
            var signals: Set<StoreChange> = []
            while let change = await changes.nextChange(), change != .batchReady(.bulk) { signals.insert(change) }
            let settled = zip(items, together).filter { (try? $0.1.get())?.wasRepeated == false }
            var expected = Set(settled.map { StoreChange.batchAdvanced($0.0.settlement.batch) })
            for plan in plans + [halves] {
                guard try await group.notification(plan.notification.id)?.isDone == true, plan != plans[3] else {
                    continue
                }
                expected.insert(.notificationSettled(plan.notification.id))
            }
            #expect(signals == expected)
        }
    }

    /// Settlements of all kinds; those of plan 3, of another worker and of an unknown batch have no lease.
    private func settlements(_ plans: [BatchedNotification], _ halves: BatchedNotification) throws -> [TimedSettlement]
    {
        func whole(
            _ batch: Batch,
            by worker: WorkerID = StoreFixtures.worker,
            failures: [Settlement.Failure] = [],
            deferrals: [Deferral] = []
        ) -> Settlement {
            let claimed = ClaimedBatch(batch: batch, cursor: 0, worker: worker, leasedUntil: StoreFixtures.after(60))
            return Settlement(of: claimed, range: 0..<batch.targets.count, failures: failures, deferrals: deferrals)
        }
        let batches = plans.map { $0.batches[0] }
        let dead = StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 1))
        let suspect = StoreFixtures.rejection(.badDeviceToken)
        let later = Deferral(index: 0, notBefore: StoreFixtures.after(50))
        var settlements = [
            whole(batches[0]), whole(batches[1], by: StoreFixtures.otherWorker), whole(batches[0]),
            whole(batches[2], failures: [.init(index: 0, outcome: dead), .init(index: 1, outcome: suspect)]),
            whole(batches[3]), whole(batches[4]), whole(try StoreFixtures.plan().batches[0]),
            Settlement(batch: batches[5].id, worker: StoreFixtures.worker, range: 0..<99),
            whole(batches[6], deferrals: [later]), whole(halves.batches[0]), whole(halves.batches[1]),
            Settlement(batch: batches[8].id, worker: StoreFixtures.worker, range: 0..<1),
            Settlement(batch: batches[8].id, worker: StoreFixtures.worker, range: 1..<3),
            whole(batches[7], failures: [.init(index: 0, outcome: .failed(.timeout))]), whole(batches[7]),
        ]
        settlements += batches[9...].map { whole($0) }
        return settlements.enumerated().map {
            TimedSettlement(settlement: $0.element, time: StoreFixtures.after(Double($0.offset)))
        }
    }

    @Test(
        "of many concurrent requests and settlements, each has its own result",
        arguments: TestStoreBackend.allCases
    )
    func concurrent(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = try (0..<200).map {
                try StoreFixtures.plan(app: $0 == 20 ? "com.example.unknown" : StoreFixtures.app)
            }
            let rejected = try await withThrowingTaskGroup(of: StoreError.Code?.self) { tasks in
                for (number, plan) in plans.enumerated() {
                    // Every tenth request has the same key.
                    let record = number % 10 == 5 ? StoreFixtures.record("same", plan) : nil
                    tasks.addTask {
                        try await storeError {
                            try await store.accept(
                                plan.notification,
                                batches: plan.batches,
                                noting: record.map { .answer($0) }
                            )
                        }?.code
                    }
                }
                return try await tasks.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(rejected == [nil: 180, .notFound: 1, .conflict: 19])
            let claimed = try await store.claim(limit: 1000)
            #expect(claimed.count == 180)
            let receipts = try await withThrowingTaskGroup(of: (SettlementResult?, StoreError.Code?).self) { tasks in
                for (number, batch) in claimed.enumerated() {
                    for worker in number == 7 ? [StoreFixtures.otherWorker, batch.worker] : [batch.worker] {
                        let settlement = Settlement(batch: batch.batch.id, worker: worker, range: 0..<1)
                        tasks.addTask {
                            do {
                                return (try await store.settle(settlement, now: StoreFixtures.now), nil)
                            } catch let error as StoreError {
                                return (nil, error.code)
                            }
                        }
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            let settled = SettlementResult(batchSettled: true, notificationSettled: true)
            #expect(receipts.count { $0.0 == settled } == 180)
            #expect(receipts.compactMap(\.1) == [.leaseLost])
            let kinds = try await store.allEvents().map(\.kind)
            #expect(kinds.count { $0 == .notificationAccepted } == 180)
            #expect(kinds.count { $0 == .notificationCompleted } == 180)
            for batch in claimed {
                let status = try await store.notification(batch.batch.notification)
                #expect(status?.isDone == true && status?.counts == OutcomeCounts(delivered: 1))
            }
        }
    }

    @Test(
        "of several settlements at once, each has its own result, also if their transaction fails",
        arguments: TestStoreBackend.allCases,
        [0, 1]
    )
    func severalAtOnce(kind: TestStoreBackend, failures: Int) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = try (0..<300).map { _ in try StoreFixtures.plan() }
            for plan in plans { try await store.accept(plan) }
            let claimed = try await store.claim(limit: 1000)
            let settlements = claimed.enumerated().map { number, batch in
                let worker = number == 7 ? StoreFixtures.otherWorker : batch.worker
                return Settlement(batch: batch.batch.id, worker: worker, range: 0..<1)
            }
            let full = StoreError(code: .full, message: "the disk is full")
            let failing = ProbedStore(store, failing: StoreFaults(failures, of: "settle(_:now:)", with: full))
            var results = await failing.settle(settlements, now: StoreFixtures.now)
            // Nothing of a transaction that failed is settled: callers try again.
            let repeated = self.codes(results).enumerated().filter { $0.element == .full }.map(\.offset)
            #expect(repeated.count == failures * 256)
            for index in repeated {
                results[index] = await failing.settle([settlements[index]], now: StoreFixtures.now)[0]
            }
            #expect(self.codes(results).enumerated().filter { $0.element != nil }.map(\.offset) == [7])
            let settled = SettlementResult(batchSettled: true, notificationSettled: true)
            #expect(results.count { (try? $0.get()) == settled } == 299)
            #expect(
                try await store.claim(limit: 1000, now: StoreFixtures.after(1000)).map(\.batch) == [claimed[7].batch]
            )
        }
    }

    @Test("events that are written without a JSON value have the same JSON")
    func eventData() throws {
        let notification = try StoreFixtures.plan(targets: 3).notification
        let accepted = NewEvent.accepted(notification, time: notification.createdAt)
        #expect(try StoredEvent.accepted(notification).data.get() == accepted.storedData)
        let (id, app, counts) = (notification.id, notification.app, OutcomeCounts(delivered: 3))
        let settled = NewEvent.completed(id, app: app, counts: counts, time: StoreFixtures.now)
        let delivered = StoredEvent.delivered(id, app: app, targets: 3, time: StoreFixtures.now)
        #expect(try delivered.data.get() == settled.storedData)
        #expect(delivered.kind == settled.kind && delivered.time == settled.time)
    }
}
