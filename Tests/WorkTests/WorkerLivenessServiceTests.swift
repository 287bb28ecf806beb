// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import StoreTesting
import Synchronization
import Telemetry
import Testing

@testable import Work

@Suite("The service that detects terminated workers", .timeLimit(.minutes(20)))
struct WorkerLivenessServiceTests {
    /// Locks that answer as a test says.
    private final class ScriptedLocks: WorkerLiveness {
        private let held = Mutex<[WorkerID]>([])
        private let released = Mutex<[WorkerID]>([])
        private let expired = Mutex<[WorkerID]>([])
        private let areReliable: Bool

        /// How many attempts to lock are still to fail, as on a full disk.
        private let failures: Mutex<Int>

        init(areReliable: Bool, failures: Int = 0) {
            self.areReliable = areReliable
            self.failures = Mutex(failures)
        }

        var releasedWorkers: [WorkerID] { self.released.withLock { $0 } }
        var expiredWorkers: [WorkerID] { self.expired.withLock { $0 } }
        var isHeld: Bool { self.held.withLock { !$0.isEmpty } }

        func hold(_ worker: WorkerID) async throws {
            let fails = self.failures.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            if fails { throw StoreError(code: .unavailable, message: "The lock file cannot be created.") }
            self.held.withLock { $0.append(worker) }
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            continuation.finish()
            self.released.withLock { $0.append(worker) }
        }

        func terminatedWorkers() async throws -> [WorkerID]? {
            guard self.isHeld else { return nil }
            guard self.areReliable else { throw UnreliableLocksError("a test") }
            return ["host/2/b", "host/3/c"]
        }

        func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
            self.expired.withLock { if !$0.contains(worker) { $0.append(worker) } }
            return worker == "host/2/b" ? [.batch: 2, .webhook: 1] : [:]
        }

        func tryNextSuspect(now: Date) async throws {}
        func note(_ activities: [Int64]) async throws {}
        func dueActivities(limit: Int, now: Date) async throws -> [DueActivity] { [] }
        func forgetInterruptions(ofActivities numbers: [Int64]) async throws {}
    }

    /// A service that evaluates a condition when it starts.
    private final class Deferred: Service {
        private let condition: @Sendable () -> Bool
        private let evaluated = Mutex<Bool?>(nil)

        init(_ condition: @escaping @Sendable () -> Bool = { true }) {
            self.condition = condition
        }

        /// `nil` until the service starts.
        var result: Bool? { self.evaluated.withLock { $0 } }

        func run() async throws {
            self.evaluated.withLock { $0 = self.condition() }
            try await gracefulShutdown()
        }
    }

    /// Runs a service for as long as `body` takes; it has to end with its group.
    private static func run(
        _ locks: ScriptedLocks,
        deferring other: (any Service)? = nil,
        metrics: MetricsRegistry = MetricsRegistry(),
        clock: any Clock<Duration> = TestClock(),
        interval: Duration = .seconds(1),
        logger: Logger = .silent,
        _ body: () async throws -> Void
    ) async throws {
        let service = WorkerLivenessService(
            store: locks,
            worker: "host/1/a",
            interval: interval,
            clock: clock,
            metrics: metrics,
            logger: logger
        )
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [service] + (other.map { [service.deferring($0)] } ?? []),
                logger: .silent
            )
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await body()
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    @Test("counts the leases that it ends by kind, and releases its lock on shutdown")
    func counts() async throws {
        let locks = ScriptedLocks(areReliable: true)
        let metrics = MetricsRegistry()
        try await Self.run(locks, metrics: metrics) {
            try await waitUntil {
                let text = try PrometheusText(metrics.text())
                return text.value("apus_work_expired_leases_total", ["type": "batch"]) == 2
                    && text.value("apus_work_expired_leases_total", ["type": "webhook"]) == 1
            }
            #expect(locks.releasedWorkers == [])
        }
        #expect(locks.releasedWorkers == ["host/1/a"])
    }

    @Test("reports once that it cannot lock, and locks as soon as it can")
    func failures() async throws {
        let locks = ScriptedLocks(areReliable: true, failures: 3)
        let recorder = LogRecorder()
        try await Self.run(locks, clock: ContinuousClock(), interval: .milliseconds(1), logger: recorder.logger) {
            try await waitUntil { locks.isHeld }
        }
        let warnings = recorder.entries.filter { $0.message == "Failed to lock this worker" }
        #expect(warnings.count == 1)
        #expect(locks.releasedWorkers == ["host/1/a"])
    }

    @Test("a deferred service starts once the lock is held and the leases of terminated workers have ended")
    func deferred() async throws {
        let locks = ScriptedLocks(areReliable: true, failures: 3)
        let other = Deferred { locks.isHeld && locks.expiredWorkers == ["host/2/b", "host/3/c"] }
        try await Self.run(locks, deferring: other, clock: ContinuousClock(), interval: .milliseconds(1)) {
            try await waitUntil { other.result != nil }
        }
        #expect(other.result == true)
    }

    @Test("a deferred service starts after some checks if the lock cannot be acquired")
    func deferredWithoutLock() async throws {
        let locks = ScriptedLocks(areReliable: true, failures: .max)
        let other = Deferred()
        try await Self.run(locks, deferring: other, clock: ContinuousClock(), interval: .milliseconds(1)) {
            try await waitUntil { other.result == true }
        }
    }

    @Test("releases its lock where locks are unreliable, and goes on without")
    func unreliable() async throws {
        let locks = ScriptedLocks(areReliable: false)
        let other = Deferred()
        try await Self.run(locks, deferring: other, clock: ContinuousClock(), interval: .milliseconds(1)) {
            try await waitUntil { locks.releasedWorkers == ["host/1/a"] && other.result == true }
        }
    }
}
