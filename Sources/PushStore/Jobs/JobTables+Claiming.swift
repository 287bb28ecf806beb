// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension JobTables {
    /// How many jobs are looked after in one transaction: others that write wait for no more.
    private static var jobsAtOnce: Int { 100 }

    /// Makes the runs that are due, and leases runs; see ``JobStore/claimJobRuns(of:limit:worker:leaseDuration:now:)``.
    package func claimRuns(
        of scope: JobScope,
        limit: Int,
        worker: WorkerID,
        until: Date,
        now: Date
    ) throws -> JobClaim {
        let now = now.keptToMilliseconds
        let due = try self.dueJobRows(of: scope, limit: Self.jobsAtOnce, now: now)
        for row in due { try self.makeRuns(of: row, now: now) }
        var claim = JobClaim(hasMore: due.count == Self.jobsAtOnce)
        guard limit > 0 else { return claim }
        let found = try self.claimableRuns(of: scope, limit: limit, now: now)
        for (row, stored) in found {
            guard var run = stored else {
                // It was damaged: whoever waited for it begins with the next claim.
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

    /// Turns the occurrences of a job that are due into runs, or leaves them out, and moves the job on.
    private func makeRuns(of row: JobRow, now: Date) throws {
        let open = try self.openRuns(ofJob: row.number, now: now)
        try self.callForgotten(open, of: row, now: now)
        let agenda = JobAgenda(row.job, open: open.count, now: now)
        var hasOpen = !open.isEmpty
        var last = agenda.entries.first?.skip == nil ? nil : try self.lastRun(ofJob: row.number)
        for entry in agenda.entries {
            if let skip = entry.skip {
                last = try self.leaveOut(entry, as: skip, behind: last, of: row, now: now)
                continue
            }
            let isFirst = !hasOpen || row.job.definition.policy.overlap == .allow
            let run = JobRun(
                id: JobRunID(of: row.job, dueAt: entry.occurrence),
                trigger: .schedule,
                dueAt: entry.occurrence,
                occurrences: entry.count,
                claimableAt: isFirst ? now : nil
            )
            // One that is known has been made before the clock stepped back.
            if try self.insert(run, ofJob: row.number) != nil { hasOpen = true }
            last = nil
        }
        var row = row
        row.job.pass(agenda)
        try self.update(row)
        if !agenda.entries.isEmpty { try self.pruneRuns(ofJob: row.number) }
    }

    /// Tells in the history that occurrences were left out: by the entry before, if that says the same.
    ///
    /// - Returns: the entry that tells of it.
    private func leaveOut(
        _ entry: JobAgenda.Entry,
        as skip: JobRun.Skip,
        behind last: JobRun?,
        of row: JobRow,
        now: Date
    ) throws -> JobRun? {
        if var last, last.skip == skip, last.trigger == .schedule {
            last.absorb(entry.count, until: entry.occurrence, now: now)
            try self.update(last)
            return last
        }
        var run = JobRun(
            id: JobRunID(of: row.job, dueAt: entry.occurrence),
            trigger: .schedule,
            dueAt: entry.occurrence,
            occurrences: entry.count,
            claimableAt: nil
        )
        run.leaveOut(as: skip, now: now)
        guard let number = try self.insert(run, ofJob: row.number) else { return nil }
        run.number = number
        return run
    }

    /// Lets the first of the open runs of a job begin where nobody has called it: whoever it waited for was damaged, and has
    /// told nobody of its end.
    ///
    /// - Returns: whether that was so.
    @discardableResult
    func callForgotten(_ open: [JobRun], of row: JobRow, now: Date) throws -> Bool {
        guard let first = open.first, first.state == .waiting, first.claimableAt == nil else { return false }
        try self.callNext(of: row, now: now)
        return true
    }

    /// Lets the next run begin of those that wait for others to end.
    func callNext(of row: JobRow, now: Date) throws {
        let open = try self.openRuns(ofJob: row.number, now: now)
        let isParallel = row.job.definition.policy.overlap == .allow
        for (place, run) in open.enumerated() where place == 0 || isParallel {
            guard run.state == .waiting, run.claimableAt == nil else { continue }
            var called = run
            called.becomeClaimable(now: now.keptToMilliseconds)
            try self.update(called)
        }
    }
}
