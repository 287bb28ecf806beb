// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
package import PushModel
package import PushStore
import ServiceLifecycle

/// One attempt at a run, until it has ended or is given back.
struct JobTurn: Sendable {
    let claimed: ClaimedJobRun
    let context: JobSchedulerContext

    private var kind: JobWork.Kind { self.claimed.job.definition.work.kind }

    /// Does the run, and books what it came to.
    func run() async {
        self.context.metrics.began(self.claimed.run, of: self.kind)
        do {
            guard let run = try await self.work() else { return await self.release() }
            self.tell(run)
        } catch let error as StoreError where error.code == .leaseLost {
            self.log(.info, "The lease of a run was lost", error)
        } catch let error as StoreError where error.isTransient {
            self.log(.warning, "A run is left until its lease lapses", error)
        } catch is CancellationError {
            await self.release()
        } catch {
            await self.fail(error)
        }
    }

    /// - Returns: the run as it is behind the attempt; `nil` when it is to be given back.
    private func work() async throws -> JobRun? {
        switch self.claimed.job.definition.work {
        case .campaign, .activities: return try await self.carryOut()
        case .webhook, .code:
            guard let end = try await self.handle() else { return nil }
            return try await self.finish(end)
        }
    }

    /// Lets the store do the run step by step.
    private func carryOut() async throws -> JobRun? {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            let run = try await self.context.store.carryOut(
                self.claimed.lease,
                leaseDuration: self.context.configuration.leaseDuration,
                now: self.context.now()
            )
            if run.state.isFinal { return run }
        }
        return nil
    }

    private enum Event {
        case ended(JobRunEnd)
        case overdue
        case failed(any Error)
        case cancelled
    }

    /// In seconds; a deadline that is damaged may be longer than any clock can wait.
    private var deadline: Int { min(max(0, self.claimed.job.definition.policy.deadlineSeconds), Int(Int32.max)) }

    /// Lets the handler do the run, within its deadline and for as long as the lease is held.
    ///
    /// The lease is kept until the handler has returned, whether or not that heeds that it is cancelled: nobody does the run
    /// beside it.
    private func handle() async throws -> JobRunEnd? {
        // On its own, so that it is not cancelled with this task, and awaited below.
        let keeper = Task { await self.keepLease() }
        let event = await withTaskGroup(of: Event.self) { group in
            group.addTask { await self.attempt() }
            group.addTask { await keeper.value }
            let event = await group.next() ?? .cancelled
            // Where the lease was lost, the handler is cancelled and waited for; else nothing is left but the keeper.
            keeper.cancel()
            group.cancelAll()
            return event
        }
        if Task.isCancelled { return nil }
        switch event {
        case .ended(let end): return end
        case .overdue: return JobRunEnd(.failed, message: "It had not ended within its deadline of \(self.deadline) s.")
        case .failed(let error): throw error
        case .cancelled: return nil
        }
    }

    /// Lets the handler work until it has returned; behind its deadline it is cancelled.
    private func attempt() async -> Event {
        await withTaskGroup(of: Event.self) { group in
            group.addTask {
                do {
                    return .ended(try await self.context.handler.run(self.claimed))
                } catch {
                    return .failed(error)
                }
            }
            group.addTask {
                let isOver = (try? await self.context.clock.sleep(for: .seconds(self.deadline))) != nil
                return isOver ? .overdue : .cancelled
            }
            let event = await group.next() ?? .cancelled
            group.cancelAll()
            return event
        }
    }

    private func keepLease() async -> Event {
        while (try? await self.context.clock.sleep(for: self.context.configuration.leaseDuration / 3)) != nil {
            do {
                try await self.context.store.extendJobLease(
                    self.claimed.lease,
                    leaseDuration: self.context.configuration.leaseDuration,
                    now: self.context.now()
                )
            } catch let error as StoreError where error.isTransient {
                self.log(.warning, "The lease of a run cannot be extended yet", error)
            } catch {
                return .failed(error)
            }
        }
        return .cancelled
    }

    /// Books an end; again and again while the store cannot, since what was done outside would be done twice.
    private func finish(_ end: JobRunEnd) async throws -> JobRun {
        let giveUpAt = self.context.now().addingTimeInterval(self.context.configuration.leaseDuration / .seconds(1))
        while true {
            do {
                return try await self.context.store.finishJobRun(self.claimed.lease, as: end, now: self.context.now())
            } catch let error as StoreError where error.isTransient && self.context.now() < giveUpAt {
                self.log(.warning, "The end of a run cannot be booked yet", error)
                try await self.context.clock.sleep(for: self.context.configuration.pollInterval)
            }
        }
    }

    /// The run cannot be done: what the store says of it is its end.
    private func fail(_ error: any Error) async {
        do {
            self.tell(try await self.finish(JobRunEnd(.failed, message: "\(error)")))
        } catch {
            self.log(.warning, "A run is left until its lease lapses", error)
        }
    }

    private func release() async {
        do {
            try await self.context.store.releaseJobRun(self.claimed.lease, now: self.context.now())
        } catch {
            self.log(.warning, "A run is left until its lease lapses", error)
        }
    }

    private func tell(_ run: JobRun) {
        self.context.metrics.ended(run, of: self.kind)
        guard run.state == .failed || !run.state.isFinal else { return }
        self.context.logger.warning(
            run.state.isFinal ? "A run of a job has failed" : "A run of a job has failed, and is repeated",
            metadata: [
                "app": "\(self.claimed.job.app)", "job": "\(self.claimed.job.id)", "job.run": "\(run.id)",
                "job.attempt": "\(run.attempt)", "job.message": "\(run.message ?? "")",
            ]
        )
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ error: any Error) {
        self.context.logger.log(
            level: level,
            message,
            metadata: [
                "app": "\(self.claimed.job.app)", "job": "\(self.claimed.job.id)",
                "job.run": "\(self.claimed.run.id)", "error": "\(error)",
            ]
        )
    }
}

/// Does the runs of jobs that a store cannot do by itself: calls webhooks, or runs code.
package protocol JobHandler: Sendable {
    /// Makes one attempt at a run.
    ///
    /// The task is cancelled when the deadline is over, the lease is lost or the process ends; what is returned then does not
    /// count. Another attempt may be made after it, here or in another process: it has the same run id. One that does not heed
    /// being cancelled keeps the run until it returns.
    /// - Throws: `StoreError` where the store could not be asked, so that nothing was done: where that passes, another attempt
    ///   is made when the lease has lapsed, also without retries. Any other error is the run's end.
    func run(_ claimed: ClaimedJobRun) async throws -> JobRunEnd
}

/// Does no run: for schedulers of which no job needs more than the store.
package struct NoJobHandler: JobHandler {
    package init() {}

    package func run(_ claimed: ClaimedJobRun) async -> JobRunEnd {
        JobRunEnd(.failed, message: "This scheduler cannot do jobs of this kind.")
    }
}
