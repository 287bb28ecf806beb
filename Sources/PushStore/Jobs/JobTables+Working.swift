// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

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
        let found = try readable(numbers) { try self.activities.activityRows(numbers: $0) }
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
