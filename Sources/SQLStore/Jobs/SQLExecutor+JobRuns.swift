// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel
import PushStore

extension SQLExecutor {
    /// Creates the runs that are due, and leases runs; see `JobStore.claimJobRuns`.
    func claimRuns(of scope: JobScope, limit: Int, worker: WorkerID, until: Date, now: Date) throws -> JobClaim {
        let now = now.keptToMilliseconds
        // Other writers wait for this transaction, so it advances at most 100 jobs.
        let jobLimit = 100
        let due = try self.dueJobs(of: scope, limit: jobLimit, now: now)
        for row in due { try self.createRuns(of: row, now: now) }
        var claim = JobClaim(hasMore: due.count == jobLimit)
        guard limit > 0 else { return claim }
        let found = try self.claimableRuns(of: scope, limit: limit, now: now)
        for (row, stored) in found {
            guard var run = stored else {
                // It was corrupt. The run that waited for it starts with the next claim.
                try self.callNext(of: row, now: now)
                claim.hasMore = true
                continue
            }
            switch run.claim(by: worker, until: until, policy: row.job.definition.policy, now: now) {
            case .refused: continue
            case .granted:
                try self.update(run)
                claim.runs.append(ClaimedJobRun(job: row.job, run: run, worker: worker))
            case .ended:
                try self.update(run)
                try self.callNext(of: row, now: now)
                claim.hasMore = true
            }
        }
        claim.hasMore = claim.hasMore || found.count == limit
        return claim
    }

    /// Creates or skips the runs of a job for its due occurrences, and advances the job.
    private func createRuns(of row: JobRow, now: Date) throws {
        let open = try self.openRuns(ofJob: row.number, now: now)
        try self.callForgotten(open, of: row, now: now)
        let agenda = JobAgenda(row.job, open: open.count, now: now)
        var hasOpen = !open.isEmpty
        var last = agenda.entries.first?.skip == nil ? nil : try self.lastRun(ofJob: row.number)
        for entry in agenda.entries {
            if let skip = entry.skip {
                last = try self.skip(entry, as: skip, after: last, of: row, now: now)
                continue
            }
            let isFirst = !hasOpen || row.job.definition.policy.overlap == .allow
            let run = JobRun(entry, of: row.job, claimableAt: isFirst ? now : nil)
            // There is such a run if the clock was set back.
            if try self.insert(run, ofJob: row.number) != nil { hasOpen = true }
            last = nil
        }
        var row = row
        row.job.pass(agenda)
        try self.update(row)
        if !agenda.entries.isEmpty { try self.pruneRuns(ofJob: row.number) }
    }

    /// Adds skipped occurrences to the history, or to its last entry if that was skipped for the same reason.
    private func skip(
        _ entry: JobAgenda.Entry,
        as skip: JobRun.Skip,
        after last: JobRun?,
        of row: JobRow,
        now: Date
    ) throws -> JobRun? {
        if var last, last.skip == skip, last.trigger == .schedule {
            last.absorb(entry.count, until: entry.occurrence, now: now)
            try self.update(last)
            return last
        }
        var run = JobRun(entry, of: row.job, claimableAt: nil)
        run.leaveOut(as: skip, now: now)
        guard let number = try self.insert(run, ofJob: row.number) else { return nil }
        run.number = number
        return run
    }

    /// Skips the scheduled runs of a paused job that have not started.
    func skipWaitingRuns(of row: JobRow, now: Date) throws {
        for var run in try self.openRuns(ofJob: row.number, now: now)
        where run.state == .waiting && run.trigger == .schedule {
            run.leaveOut(as: .paused, now: now.keptToMilliseconds)
            try self.update(run)
        }
        try self.callNext(of: row, now: now)
    }

    /// Makes the first open run claimable if it waits for a run that was corrupt; returns whether it did.
    @discardableResult
    func callForgotten(_ open: [JobRun], of row: JobRow, now: Date) throws -> Bool {
        guard let first = open.first, first.state == .waiting, first.claimableAt == nil else { return false }
        try self.callNext(of: row, now: now)
        return true
    }

    /// Makes the next run claimable that waits for others to end.
    private func callNext(of row: JobRow, now: Date) throws {
        let open = try self.openRuns(ofJob: row.number, now: now)
        let isParallel = row.job.definition.policy.overlap == .allow
        for (index, run) in open.enumerated() where index == 0 || isParallel {
            guard run.state == .waiting, run.claimableAt == nil else { continue }
            var called = run
            called.becomeClaimable(now: now.keptToMilliseconds)
            try self.update(called)
        }
    }

    /// Locks the run of a lease and its job; `nil` if the lease is lost.
    func lockedRun(_ lease: JobLease) throws -> (row: JobRow, run: JobRun)? {
        guard let found = try self.lockedRun(lease.run),
            found.run.isHeld(by: lease.worker, attempt: lease.attempt)
        else { return nil }
        return found
    }

    /// Locks the run of a lease and its job.
    func heldRun(_ lease: JobLease) throws -> (row: JobRow, run: JobRun) {
        guard let held = try self.lockedRun(lease) else { throw StoreError.lost(lease) }
        return held
    }

    /// Writes a run, and calls the next one if it has ended; returns whether schedulers have to look for work.
    func save(_ run: JobRun, of row: JobRow, now: Date) throws -> Bool {
        try self.update(run)
        guard run.state.isFinal || run.worker == nil else { return false }
        if run.state.isFinal {
            try self.callNext(of: row, now: now)
            try self.pruneRuns(ofJob: row.number)
        }
        return true
    }

    /// Fails a run that has not ended; returns whether schedulers have to look for work.
    package func failRun(_ id: JobRunID, message: String, now: Date) throws -> Bool {
        guard case (let row, var run)? = try self.lockedRun(id), !run.state.isFinal else { return false }
        run.finish(
            JobRunEnd(.failed, message: message, isRepeatable: false),
            policy: row.job.definition.policy,
            now: now.keptToMilliseconds
        )
        return try self.save(run, of: row, now: now)
    }
}

extension JobRun {
    fileprivate init(_ entry: JobAgenda.Entry, of job: Job, claimableAt: Date?) {
        self.init(
            id: JobRunID(of: job, dueAt: entry.occurrence),
            trigger: .schedule,
            dueAt: entry.occurrence,
            occurrences: entry.count,
            claimableAt: claimableAt
        )
    }
}
