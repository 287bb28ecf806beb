// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: outcomes", .timeLimit(.minutes(20)))
struct OutcomeTests {
    @Test("failures name their targets, however long the tokens are", arguments: TestStoreBackend.allCases)
    func longTokens(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            // Together as long as four of the usual length.
            let targets = try [33, 31, 32, 32].enumerated().map { number, size in
                Target(
                    token: try DeviceToken(bytes: Array(repeating: UInt8(number), count: size)),
                    environment: .sandbox
                )
            }
            let sample = try StoreFixtures.plan()
            for targets in [targets, Array(targets.suffix(2)), Array(targets.prefix(1))] {
                let plan = try BatchedNotification(
                    app: StoreFixtures.app,
                    lane: .urgent,
                    headers: sample.batches[0].headers,
                    payload: APNsPayload(json: "{}"),
                    targets: targets,
                    now: StoreFixtures.now
                )
                try await store.accept(plan)
                let claimed = try #require(try await store.claim().first, "the batch")
                let failures = targets.indices.map { Settlement.Failure(index: $0, outcome: .failed(.timeout)) }
                try await store.settle(
                    Settlement(of: claimed, range: 0..<targets.count, failures: failures),
                    now: StoreFixtures.now
                )
                let page = try await store.failures(of: plan.notification.id, after: nil, limit: 10)
                #expect(page.elements.map(\.target) == targets, "the targets of the failures")
                let letters = try await store.deadLetters(
                    of: plan.notification.id,
                    matching: FailureFilter(reason: FailureCode.timeout.rawValue),
                    after: nil,
                    limit: 10
                )
                #expect(letters.elements.map(\.target) == targets, "the targets of the dead letters")
            }
        }
    }

    @Test("the outcome of every apns-id is found from its batch", arguments: TestStoreBackend.allCases)
    func everyOutcome(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 4)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let gone = StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 5))
            let failures: [Settlement.Failure] = [
                .init(index: 1, outcome: gone), .init(index: 2, outcome: .failed(.timeout)),
            ]
            try await store.settle(Settlement(of: claimed, range: 0..<3, failures: failures), now: StoreFixtures.now)
            let expected: [Outcome?] = [.delivered, gone, .failed(.timeout), nil]
            for (index, outcome) in expected.enumerated() {
                let id = plan.batches[0].id.apnsID(at: index)
                let found = try await store.outcome(of: id)
                let whole = TargetOutcome(
                    apnsID: id,
                    notification: plan.notification.id,
                    target: try StoreFixtures.target(index),
                    outcome: outcome
                )
                #expect(found == whole, "the outcome of target \(index)")
            }
            let beyond = try await store.outcome(of: plan.batches[0].id.apnsID(at: 4))
            #expect(beyond == nil, "the outcome of a target behind the last")
            #expect(try await store.outcome(of: APNsID(high: 1, low: 1)) == nil, "the outcome of a foreign id")
        }
    }

    @Test(
        "failures are listed page by page across batches, in the order of the targets",
        arguments: TestStoreBackend.allCases
    )
    func pages(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 10_003)
            try await store.accept(plan)
            let indices = [[0, 7, 9_999], [1, 2]]
            for (claimed, failed) in zip(try await store.claim(), indices) {
                let failures = failed.map { Settlement.Failure(index: $0, outcome: .failed(.connectionLost)) }
                try await store.settle(
                    Settlement(of: claimed, range: 0..<claimed.batch.targets.count, failures: failures),
                    now: StoreFixtures.now
                )
            }
            var listed: [TargetOutcome] = []
            var cursor: APNsID?
            repeat {
                let page = try await store.failures(of: plan.notification.id, after: cursor, limit: 2)
                #expect(page.elements.count <= 2, "a page has more elements than its limit")
                listed += page.elements
                cursor = page.next
            } while cursor != nil
            let expected = zip(plan.batches, indices).flatMap { batch, failed in
                failed.map { index in
                    TargetOutcome(
                        apnsID: batch.id.apnsID(at: index),
                        notification: plan.notification.id,
                        target: batch.targets[index],
                        outcome: .failed(.connectionLost)
                    )
                }
            }
            #expect(listed.count == expected.count, "how many failures are listed")
            #expect(listed == expected, "the failures listed are others than those settled")
        }
    }

    @Test(
        "the status of a notification has the counts of each batch, and no counts of another notification",
        arguments: TestStoreBackend.allCases
    )
    func countsByBatch(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 20_001)
            let other = try StoreFixtures.plan()
            try await store.accept(plan)
            try await store.accept(other)
            let failures: [[Settlement.Failure]] = [
                [
                    .init(index: 0, outcome: StoreFixtures.rejection(.unregistered)),
                    .init(index: 1, outcome: .failed(.timeout)), .init(index: 2, outcome: .failed(.timeout)),
                ],
                [], [.init(index: 0, outcome: .failed(.connectionLost))],
            ]
            for claimed in try await store.claim() {
                let isOther = claimed.batch.notification == other.notification.id
                try await store.settle(
                    Settlement(
                        of: claimed,
                        range: 0..<claimed.batch.targets.count,
                        failures: isOther ? failures[2] : failures[claimed.batch.ordinal]
                    ),
                    now: StoreFixtures.now
                )
            }
            let status = try #require(try await store.notification(plan.notification.id), "the notification")
            #expect(status.batches.map(\.id) == plan.batches.map(\.id), "the batches")
            let expected = [
                OutcomeCounts(delivered: 9_997, rejected: [.unregistered: 1], failed: [.timeout: 2]),
                OutcomeCounts(delivered: 10_000), OutcomeCounts(failed: [.connectionLost: 1]),
            ]
            #expect(status.batches.map(\.counts) == expected, "the counts of each batch")
            #expect(status.remaining == 0, "the targets without an outcome")
        }
    }

    @Test("a notification that does not exist has no status and no failures", arguments: TestStoreBackend.allCases)
    func unknownNotification(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let none = NotificationID(now: StoreFixtures.now)
            #expect(try await store.notification(none) == nil, "the status")
            let page = try await store.failures(of: none, after: nil, limit: 10)
            #expect(page.elements.isEmpty && page.next == nil, "there are failures")
        }
    }

    @Test(
        "lists the targets of an app that APNs reported as unregistered, the latest first, page by page",
        arguments: TestStoreBackend.allCases
    )
    func unregisteredTargets(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = [try StoreFixtures.plan(targets: 3), try StoreFixtures.plan(targets: 3)]
            for plan in plans { try await store.accept(plan) }
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreFixtures.rejection(.unregistered)),
                .init(index: 1, outcome: StoreFixtures.rejection(.badDeviceToken)),
                .init(index: 2, outcome: .rejected(Rejection(.expiredToken, inactiveSince: 17))),
            ]
            for claimed in try await store.claim() {
                let settlement = Settlement(of: claimed, range: 0..<3, failures: failures)
                try await store.settle(settlement, now: StoreFixtures.now)
            }
            let batches = plans.flatMap(\.batches).sorted { $0.id.value > $1.id.value }
            let expected = batches.flatMap { batch in
                [2, 0].map { index in
                    TargetOutcome(
                        apnsID: batch.id.apnsID(at: index),
                        notification: batch.notification,
                        target: batch.targets[index],
                        outcome: failures[index].outcome
                    )
                }
            }
            var listed: [TargetOutcome] = []
            var cursor: APNsID?
            repeat {
                let page = try await store.unregisteredTargets(of: StoreFixtures.app, before: cursor, limit: 1)
                #expect(page.elements.count <= 1, "a page has more elements than its limit")
                listed += page.elements
                cursor = page.next
            } while cursor != nil
            #expect(listed == expected, "the targets")
            let other = try await store.unregisteredTargets(of: "com.example.other", before: nil, limit: 9)
            #expect(other.elements.isEmpty && other.next == nil, "those of another app")
        }
    }
}
