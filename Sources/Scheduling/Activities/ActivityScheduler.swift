// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle
import Work

/// Executes the transitions of Live Activities when they are due, and continues updates of activities with many
/// devices.
///
/// Any number of schedulers can share a store. Nothing is leased: each unit of work is one transaction, so after a
/// crash another scheduler does what is left. A scheduler never connects to APNs.
///
/// Transitions of many activities that are due at one instant are prepared before it (``TransitionPreparer``). Each
/// scheduler prepares them; each transition is executed once.
package struct ActivityScheduler: Service {
    /// The most activities in one transaction, because other writers wait for it.
    private static let step = 200

    private let store: any ActivityQueue & StoreChangeSource & WorkerLiveness
    private let pollInterval: Duration
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let onCarriedOut: @Sendable (TransitionReport) -> Void
    private let logger: Logger
    private let metrics: ActivityMetrics
    private let book = PreparationCache(farthest: 2 * TransitionPreparer.headSeconds)

    /// `onCarriedOut` is called after the transaction that stores the transitions and their batches.
    package init(
        store: any ActivityQueue & StoreChangeSource & WorkerLiveness,
        pollInterval: Duration = .seconds(1),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        onCarriedOut: @escaping @Sendable (TransitionReport) -> Void = { _ in },
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.store = store
        self.pollInterval = pollInterval
        self.clock = clock
        self.now = now
        self.onCarriedOut = onCarriedOut
        self.metrics = ActivityMetrics(metrics)
        self.logger = logger
    }

    package func run() async throws {
        let looks = WorkSignal()
        let preparer = TransitionPreparer(
            store: self.store,
            book: self.book,
            now: self.now,
            metrics: self.metrics,
            logger: self.logger
        )
        // There are no leases: a claim executes the due work.
        let loop = ClaimLoop(
            kind: "due transitions",
            capacity: Slots<Never>(1),
            pollInterval: self.pollInterval,
            clock: self.clock,
            now: self.now,
            logger: self.logger
        ) { _ in
            let next: Date?
            do {
                next = try await self.carryOutDue()
            } catch {
                // A note that stays would blame the activities for a later crash.
                try? await self.store.note([])
                throw error
            }
            if let next, next.timeIntervalSince(self.now()) < TransitionPreparer.headSeconds { looks.wake() }
            return Claimed([], nextDue: next)
        } process: { _, _ in
        }
        await withDiscardingTaskGroup { group in
            group.addTask { await preparer.run(looks.wakes) }
            await loop.run(on: self.store.changes { $0 == .activitiesDue }, onStop: { looks.finish() })
        }
    }

    /// Executes everything that is due; returns the time of the next work, `nil` if it is unknown.
    private func carryOutDue() async throws -> Date? {
        var isNoted = false
        // Transitions that become due while an activity is sent to very many devices do not wait for the last of them.
        repeat {
            try await self.carryOutPrepared(&isNoted)
            while try await self.carryOut(&isNoted) {
                if Task.isCancelled { return nil }
                try await self.carryOutPrepared(&isNoted)
            }
            if Task.isCancelled { return nil }
            if isNoted { try await self.store.note([]) }
            isNoted = false
        } while try await self.store.sendOnActivities(now: self.now())
        return try await self.store.nextActivityTime()
    }

    /// Executes the prepared transitions that are due, unless their activity has changed since.
    ///
    /// Parts run concurrently. An activity that is in two of them is unchanged in only one.
    private func carryOutPrepared(_ isNoted: inout Bool) async throws {
        let due = self.book.take(by: self.now())
        if due.isEmpty { return }
        isNoted = true
        try await self.store.note(due.flatMap(\.activities))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, prepared) in due.enumerated() {
                if place >= self.store.preparedAtOnce { _ = try await group.next() }
                if Task.isCancelled { return }
                group.addTask { try await self.carryOut(prepared) }
            }
            try await group.waitForAll()
        }
    }

    private func carryOut(_ prepared: ActivityChangeSet) async throws {
        do {
            self.tell(try await self.store.carryOut(prepared, now: self.now()), .prepared)
        } catch let error as CancellationError {
            throw error
        } catch {
            // The transitions are still due, and are executed like those that were not prepared.
            self.logger.warning("Failed to execute prepared transitions; retrying", metadata: ["error": "\(error)"])
        }
    }

    /// Executes due transitions, up to the limit of a transaction; returns whether there may be more.
    private func carryOut(_ isNoted: inout Bool) async throws -> Bool {
        let now = self.now()
        var due = try await self.store.dueActivities(limit: Self.step, now: now)
        if due.isEmpty { return false }
        // After two processes were terminated with one of them, each is processed alone: the third termination
        // identifies it.
        let isCareful = due.contains { $0.interruptions >= Interruptions.maximum - 1 }
        if isCareful { due = [due[0]] }
        isNoted = true
        try await self.store.note(due.map(\.number))
        for activity in due { DebugTrap.check(.activity, activity.id.rawValue) }
        let only = isCareful ? due[0].number : nil
        let report = try await self.store.carryOutTransitions(limit: Self.step, only: only, now: now)
        let interrupted = due.filter { $0.interruptions > 0 }.map(\.number)
        if !interrupted.isEmpty { try await self.store.forgetInterruptions(ofActivities: interrupted) }
        self.tell(report, .direct)
        return report.hasMore || isCareful
    }

    private func tell(_ report: TransitionReport, _ path: ActivityMetrics.ExecutionPath) {
        self.metrics.executed(report, path, at: self.now())
        guard !report.entries.isEmpty || report.expired > 0 else { return }
        self.onCarriedOut(report)
    }
}
