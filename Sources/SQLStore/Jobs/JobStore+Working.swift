// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension JobStore where Self: SQLBacked {
    public func nextJobTime(of scope: JobScope) async throws -> Date? {
        try await self.sql.read { try $0.nextJobTime(of: scope) }
    }

    public func claimJobRuns(
        of scope: JobScope,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> JobClaim {
        // Usually nothing is due. A read finds that out without locks, and without a wait for other writers.
        guard let next = try await self.nextJobTime(of: scope), next <= now else { return JobClaim() }
        let until = now.lease(of: leaseDuration)
        let limit = min(max(0, limit), PageLimit.clamp(.max))
        return try await self.sql.write(retriesConflicts: true) { transaction in
            try transaction.claimRuns(of: scope, limit: limit, worker: worker, until: until, now: now)
        }
    }

    public func carryOut(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws -> JobRun {
        let until = now.lease(of: leaseDuration)
        return try await self.sql.write(retriesConflicts: true) { transaction in
            var (row, run) = try transaction.heldRun(lease)
            switch row.job.definition.work {
            case .campaign(let work):
                let campaign = work.campaign(of: run, by: row.job, now: now)
                if try transaction.first("SELECT 1 FROM campaigns WHERE id = \(campaign.id.value)") == nil {
                    try transaction.create(campaign, app: row.app)
                }
                run.finish(
                    JobRunEnd(.succeeded, processed: 1, campaign: campaign.id),
                    policy: row.job.definition.policy,
                    now: now.keptToMilliseconds
                )
            case .activities(let work):
                let page = try transaction.activityNumbers(
                    matching: work,
                    about: run.startedAt ?? now,
                    app: row.app,
                    after: run.place
                )
                let (count, note) = try transaction.change(page.numbers, by: work, of: row, now: now)
                run.advance(to: page.numbers.last ?? run.place, processed: count, note: note, until: until)
                if !page.hasMore {
                    run.finish(JobRunEnd(.succeeded), policy: row.job.definition.policy, now: now.keptToMilliseconds)
                }
            case .webhook, .code:
                // The job was redefined after the claim: the worker that claims the run next sees the new definition.
                throw StoreError.lost(lease)
            }
            if try transaction.save(run, of: row, now: now) { transaction.signal(.jobsDue) }
            return run
        }
    }

    public func extendJobLease(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws {
        let until = now.lease(of: leaseDuration)
        try await self.sql.write { transaction in
            var run = try transaction.heldRun(lease).run
            run.extend(until: until)
            try transaction.update(run)
        }
    }

    @discardableResult
    public func finishJobRun(_ lease: JobLease, as end: JobRunEnd, now: Date) async throws -> JobRun {
        try await self.sql.write { transaction in
            var (row, run) = try transaction.heldRun(lease)
            run.finish(end, policy: row.job.definition.policy, now: now.keptToMilliseconds)
            if try transaction.save(run, of: row, now: now) { transaction.signal(.jobsDue) }
            return run
        }
    }

    public func releaseJobRun(_ lease: JobLease, now: Date) async throws {
        try await self.sql.write { transaction in
            guard var run = try transaction.lockedRun(lease)?.run else { return }
            run.release(now: now.keptToMilliseconds)
            try transaction.update(run)
            transaction.signal(.jobsDue)
        }
    }
}
