// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel

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

extension JobTables {
    /// How many activities are looked at in one transaction: others that write wait for no more.
    private static var activitiesAtOnce: Int { 500 }

    /// Does the next step of a run; see ``JobStore/carryOut(_:leaseDuration:now:)``.
    package func carryOut(
        _ lease: JobLease,
        until: Date,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> JobRun {
        var (row, run) = try self.held(lease)
        switch row.job.definition.work {
        case .campaign(let work):
            let campaign = work.campaign(of: run, by: row.job, now: now)
            try self.create(campaign, app: row.app, signalling: &changes)
            run.finish(
                JobRunEnd(.succeeded, processed: 1, campaign: campaign.id),
                policy: row.job.definition.policy,
                now: now.keptToMilliseconds
            )
        case .activities(let work):
            try self.change(work, for: &run, of: row, until: until, now: now, signalling: &changes)
        case .webhook, .code:
            // It was defined anew since it was claimed: the next who claims it finds out.
            throw StoreError.lost(lease)
        }
        try self.write(run, of: row, now: now, signalling: &changes)
        return run
    }

    private func change(
        _ work: JobActivities,
        for run: inout JobRun,
        of row: JobRow,
        until: Date,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        let numbers = try self.activityNumbers(
            fitting: work,
            about: run.startedAt ?? now,
            app: row.app,
            after: run.place,
            limit: Self.activitiesAtOnce
        )
        var change = work.change
        change.instants = [:]
        // One that cannot be read keeps none of the others from being changed.
        let found = try readable(numbers, in: "activities") { try self.activities.activityRows(numbers: $0) }
        let schemas = try self.activities.schemas(for: [change], of: found, app: row.app)
        let schema = schemas[work.attributesType]
        let orders = found.sorted { $0.number < $1.number }.filter { work.concerns($0.lifecycle, schema: schema) }
            .map { ActivityOrder(activity: $0.id, change: change) }
        var count = 0
        var note: String?
        if !orders.isEmpty {
            let results = try self.activities.change(orders, of: row.job.app, now: now, signalling: &changes)
            for (order, result) in zip(orders, results) {
                switch result {
                case .changed: count += 1
                case .refused(let refusal) where note == nil:
                    note = "Not every activity could be changed. '\(order.activity)': \(refusal.message)"
                case .refused, .unknown: break
                }
            }
        }
        run.advance(to: numbers.last ?? run.place, processed: count, note: note, until: until)
        guard numbers.count < Self.activitiesAtOnce else { return }
        run.finish(JobRunEnd(.succeeded), policy: row.job.definition.policy, now: now.keptToMilliseconds)
    }

    /// Extends a lease; see ``JobStore/extendJobLease(_:leaseDuration:now:)``.
    package func extend(_ lease: JobLease, until: Date) throws {
        var (_, run) = try self.held(lease)
        run.extend(until: until)
        try self.update(run)
    }

    /// Books what an attempt came to; see ``JobStore/finishJobRun(_:as:now:)``.
    package func finish(
        _ lease: JobLease,
        as end: JobRunEnd,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> JobRun {
        var (row, run) = try self.held(lease)
        run.finish(end, policy: row.job.definition.policy, now: now.keptToMilliseconds)
        try self.write(run, of: row, now: now, signalling: &changes)
        return run
    }

    /// Ends a run that no scheduler holds as failed; does nothing if it has ended.
    package func fail(
        _ id: JobRunID,
        message: String,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        guard case (let row, var run)? = try self.run(id), !run.state.isFinal else { return }
        run.finish(
            JobRunEnd(.failed, message: message, isRepeatable: false),
            policy: row.job.definition.policy,
            now: now.keptToMilliseconds
        )
        try self.write(run, of: row, now: now, signalling: &changes)
    }

    /// Gives a run back; see ``JobStore/releaseJobRun(_:now:)``.
    package func release(_ lease: JobLease, now: Date, signalling changes: inout [StoreChange]) throws {
        do {
            var (_, run) = try self.held(lease)
            run.release(now: now.keptToMilliseconds)
            try self.update(run)
            changes.append(.jobsDue)
        } catch let error as StoreError where error.code == .leaseLost {
            return
        }
    }

    private func held(_ lease: JobLease) throws -> (row: JobRow, run: JobRun) {
        guard let (row, run) = try self.run(lease.run), run.isHeld(by: lease.worker, attempt: lease.attempt) else {
            throw StoreError.lost(lease)
        }
        return (row, run)
    }

    private func write(
        _ run: JobRun,
        of row: JobRow,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        try self.update(run)
        guard run.state.isFinal || run.worker == nil else { return }
        if run.state.isFinal {
            try self.callNext(of: row, now: now)
            try self.pruneRuns(ofJob: row.number)
        }
        changes.append(.jobsDue)
    }
}
