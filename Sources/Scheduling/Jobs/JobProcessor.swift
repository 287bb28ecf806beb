// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
package import PushModel
package import PushStore
import ServiceLifecycle
import Work

/// Makes one attempt at a claimed run, until it has ended or is released.
struct JobProcessor: LeasedItem {
    static let kind = "job run"

    let claimed: ClaimedJobRun
    let context: JobScheduler

    var logger: Logger { self.context.logger }

    var logMetadata: Logger.Metadata {
        ["app": "\(self.claimed.job.app)", "job": "\(self.claimed.job.id)", "job.run": "\(self.claimed.run.id)"]
    }

    private var workKind: JobAction.Kind { self.claimed.job.definition.work.kind }
    private var leaseDuration: Duration { self.context.configuration.leaseDuration }
    private var store: any JobQueue & StoreChangeSource { self.context.store }
    private var now: Date { self.context.now() }

    func run() async {
        DebugTrap.check(.jobRun, "\(self.claimed.run.id)")
        self.context.metrics.began(self.claimed.run, of: self.workKind)
        await self.processing { _ in
            if let run = try await self.work() { self.report(run) } else { try await self.release() }
        }
    }

    func extendLease() async throws {
        try await self.store.extendJobLease(self.claimed.lease, leaseDuration: self.leaseDuration, now: self.now)
    }

    /// Fails the run with the error.
    ///
    /// If the store could not be reached, another attempt is made when the lease has expired.
    func end(after failure: WorkFailure) async throws {
        switch failure {
        case .leaseLost, .transient: break
        case .cancelled: try await self.release()
        case .permanent(let error, _): self.report(try await self.finish(JobRunResult(.failed, message: "\(error)")))
        }
    }

    /// Returns the run after the attempt; `nil` if it is to be released.
    private func work() async throws -> JobRun? {
        switch self.claimed.job.definition.work {
        case .campaign, .activities: return try await self.carryOut()
        case .webhook, .code:
            guard let end = try await self.handle() else { return nil }
            return try await self.finish(end)
        }
    }

    private func carryOut() async throws -> JobRun? {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            let (lease, duration) = (self.claimed.lease, self.leaseDuration)
            let run = try await self.store.carryOut(lease, leaseDuration: duration, now: self.now)
            if run.state.isFinal { return run }
        }
        return nil
    }

    /// The timeout in seconds; a corrupt one can be longer than a clock can wait.
    private var deadline: Int { min(max(0, self.claimed.job.definition.policy.timeoutSeconds), Int(Int32.max)) }

    /// Executes the run by the handler, within its deadline and while the lease is held.
    ///
    /// The lease is extended until the handler has returned, even if it ignores its cancellation. So no other worker
    /// executes the run at the same time.
    private func handle() async throws -> JobRunResult? {
        do {
            let interval = { @Sendable () -> Duration in self.leaseDuration / 3 }
            let end = try await self.keepingLease(clock: self.context.clock, every: interval) {
                try await self.attempt()
            }
            return Task.isCancelled ? nil : end
        } catch  where Task.isCancelled {
            return nil
        }
    }

    /// Awaits the handler, which is cancelled after its deadline; `nil` if the task was cancelled first.
    private func attempt() async throws -> JobRunResult? {
        try await withThrowingTaskGroup(of: JobRunResult?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.context.handler.run(self.claimed) }
            group.addTask {
                guard (try? await self.context.clock.sleep(for: .seconds(self.deadline))) != nil else { return nil }
                return JobRunResult(.failed, message: "The attempt exceeded its timeout of \(self.deadline) s.")
            }
            return try await group.next() ?? nil
        }
    }

    /// Stores the result; retries transient errors of the store, because another attempt would repeat side effects.
    private func finish(_ end: JobRunResult) async throws -> JobRun {
        let giveUpAt = self.now.addingTimeInterval(self.leaseDuration / .seconds(1))
        while true {
            do {
                return try await self.store.finishJobRun(self.claimed.lease, as: end, now: self.now)
            } catch let error as StoreError where error.isTransient && self.now < giveUpAt {
                self.log(.warning, "Failed to store the result of a job run; retrying", error)
                try await self.context.clock.sleep(for: self.context.configuration.pollInterval)
            }
        }
    }

    private func release() async throws { try await self.store.releaseJobRun(self.claimed.lease, now: self.now) }

    private func report(_ run: JobRun) {
        self.context.metrics.ended(run, of: self.workKind)
        guard run.state == .failed || !run.state.isFinal else { return }
        var metadata = self.logMetadata
        metadata["job.attempt"] = "\(run.attempt)"
        metadata["job.message"] = "\(run.message ?? "")"
        let outcome = run.state.isFinal ? "Job run failed" : "Attempt of a job run failed; retrying"
        self.logger.warning("\(outcome)", metadata: metadata)
    }
}

/// Executes the runs that the store cannot execute itself: calls webhooks, or runs code.
package protocol JobHandler: Sendable {
    /// Makes one attempt at a run.
    ///
    /// The task is cancelled when the deadline passes, the lease is lost or the process shuts down; its result is then
    /// ignored. Another attempt has the same run ID, here or in another process. A handler that ignores its
    /// cancellation keeps the run until it returns.
    /// - Throws: `StoreError` if the store failed before anything was done. If it is transient, another attempt follows
    ///   when the lease has expired, also without retries. Any other error ends the run.
    func run(_ claimed: ClaimedJobRun) async throws -> JobRunResult
}

/// A handler that executes no run, for schedulers whose jobs need only the store.
package struct NoOpJobHandler: JobHandler {
    package init() {}

    package func run(_ claimed: ClaimedJobRun) async -> JobRunResult {
        JobRunResult(
            .failed,
            message: "This process has no handler for the job. Run it with `apus schedule`, or with the program that "
                + "registered it."
        )
    }
}
