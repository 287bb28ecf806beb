// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
package import PushModel
package import PushStore
package import ServiceLifecycle
import Synchronization

/// Holds the lock of this process, and ends the leases of terminated processes; the work of these may have terminated
/// them.
///
/// Without reliable locks it does nothing more: leases expire after their duration.
package struct WorkerLivenessService: Service {
    private let store: any WorkerLiveness
    private let worker: WorkerID
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let metrics: any MetricsFactory
    private let logger: Logger
    private let firstCheck = Gate()

    /// A service that checks the locks once per interval; `worker` holds the lock.
    package init(
        store: any WorkerLiveness,
        worker: WorkerID = .process,
        interval: Duration = .seconds(1),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        metrics: any MetricsFactory,
        logger: Logger
    ) {
        self.store = store
        self.worker = worker
        self.interval = interval
        self.clock = clock
        self.now = now
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async throws {
        defer { self.firstCheck.open() }
        do {
            try await cancelWhenGracefulShutdown { try await self.watch() }
        } catch let error as UnreliableLocksError {
            self.firstCheck.open()
            self.logger.warning(
                "Locks are unreliable; the leases of terminated processes expire after their duration",
                metadata: ["reason": "\(error)"]
            )
            // A service that returns would end the group.
            try? await gracefulShutdown()
        } catch is CancellationError {
            return
        }
    }

    /// A service that starts after the first check with a result.
    ///
    /// So it claims nothing whose interruption is not counted.
    package func deferring(_ service: any Service) -> any Service {
        DeferredService(gate: self.firstCheck, service: service)
    }

    /// Holds the lock and checks those of others; returns with the first error that ends both.
    private func watch() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await repeating("Failed to lock this worker", every: self.interval, self.clock, self.logger) {
                    try await self.store.hold(self.worker)
                }
            }
            group.addTask {
                // Other services start after some checks without a result, too.
                var left = 15
                let message: Logger.Message = "Failed to check for terminated workers"
                try await repeating(message, every: self.interval, self.clock, self.logger) {
                    left -= 1
                    defer { if left == 0 { self.firstCheck.open() } }
                    if try await self.check() { self.firstCheck.open() }
                }
            }
            // An error cancels the other task.
            _ = try await group.next()
        }
    }

    /// Ends the leases of the workers that have terminated; returns whether it is known which have.
    ///
    /// Otherwise this process does not hold its lock, so no other one would notice that it terminated.
    private func check() async throws -> Bool {
        guard let workers = try await self.store.terminatedWorkers() else { return false }
        for worker in workers {
            let expired = try await self.store.expireLeases(of: worker, now: self.now())
            guard !expired.isEmpty else { continue }
            var metadata: Logger.Metadata = ["worker": "\(worker)"]
            for (kind, count) in expired {
                let dimensions = [("type", kind.rawValue)]
                Counter(label: "apus_work_expired_leases_total", dimensions: dimensions, factory: self.metrics)
                    .increment(by: count)
                metadata["leases.\(kind.rawValue)"] = "\(count)"
            }
            self.logger.notice("Expired the leases of a terminated worker", metadata: metadata)
        }
        return true
    }
}

/// Runs `body` again and again, an interval apart; logs the first of several failures in a row.
func repeating(
    _ message: Logger.Message,
    every interval: Duration,
    _ clock: any Clock<Duration>,
    _ logger: Logger,
    _ body: () async throws -> Void
) async throws {
    var hasFailed = false
    while true {
        do {
            try await body()
            hasFailed = false
        } catch let error where !(error is UnreliableLocksError || error is CancellationError) {
            if !hasFailed { logger.warning(message, metadata: ["error": "\(error)"]) }
            hasFailed = true
        }
        try await clock.sleep(for: interval)
    }
}

/// Opens once.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiting = self.state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = self.state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

private struct DeferredService: Service {
    let gate: Gate
    let service: any Service

    func run() async throws {
        await self.gate.wait()
        try await self.service.run()
    }
}
