// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The jobs of apps, and their runs.
///
/// An occurrence that is due becomes a run, or is left out, in the transaction that moves the job on to its next one: so it
/// happens once, however many schedulers there are, and whatever their clocks show. A run is leased to one worker at a time;
/// what the store does for it is done step by step, each in one transaction with the place at which whoever takes it over
/// goes on. `JobAgenda` and `JobRun` have the rules.
public protocol JobStore: Sendable {
    /// Makes a job, or defines one anew.
    ///
    /// A run that has begun goes on by the new definition. Signals ``StoreChange/jobsDue``.
    /// - Parameters:
    ///   - id: the job's name.
    ///   - app: its app.
    ///   - definition: when it is run, what it does, and how.
    ///   - isPaused: whether it is paused; `nil` leaves that as it is, and runs a new one.
    ///   - now: the time of the call.
    /// - Returns: what became of it.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    func putJob(
        _ id: JobID,
        of app: AppID,
        as definition: JobDefinition,
        isPaused: Bool?,
        now: Date
    ) async throws -> JobPutting

    /// A job; `nil` when there is none.
    func job(_ id: JobID, of app: AppID) async throws -> JobStatus?

    /// An app's jobs in the order of their names; those that cannot be read are left out, and told of in the log once.
    ///
    /// - Parameters:
    ///   - app: the app; one that does not exist has none.
    ///   - cursor: the job behind which to begin; `nil` begins at the first.
    ///   - limit: the most jobs to answer, 1...1000.
    /// - Returns: a page of jobs.
    /// - Throws: ``StoreError``.
    func jobs(of app: AppID, after cursor: JobID?, limit: Int) async throws -> Page<JobStatus, JobID>

    /// Removes a job with all of its runs; one that is going stops after its step.
    ///
    /// - Returns: whether there was such a job.
    @discardableResult
    func deleteJob(_ id: JobID, of app: AppID) async throws -> Bool

    /// Lets the occurrences of a job pass without a run; what waits for its turn is left out, what has begun goes on.
    ///
    /// - Returns: the job as it is now; `nil` when there is none.
    func pauseJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus?

    /// Runs a job again from its next occurrence on.
    ///
    /// Signals ``StoreChange/jobsDue``.
    /// - Returns: the job as it is now; `nil` when there is none.
    func resumeJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus?

    /// Makes a run of a job now, paused or not.
    ///
    /// Signals ``StoreChange/jobsDue``.
    /// - Returns: what became of it; `nil` when there is no such job.
    func runJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobRunning?

    /// The runs of a job, the youngest first; the last 1,000 that have ended are kept. Those that cannot be read are left out.
    ///
    /// - Parameters:
    ///   - id: the job; one that does not exist has none.
    ///   - app: its app.
    ///   - cursor: the number of the run behind which to begin; `nil` begins at the youngest.
    ///   - limit: the most runs to answer, 1...1000.
    /// - Returns: a page of runs.
    /// - Throws: ``StoreError``.
    func jobRuns(of id: JobID, app: AppID, after cursor: Int64?, limit: Int) async throws -> Page<JobRun, Int64>

    // MARK: Working

    /// When there is next something to do for jobs, so that nobody need look before; `nil` when nothing is planned.
    func nextJobTime(of scope: JobScope) async throws -> Date?

    /// Makes the runs that are due, and leases runs to a worker, those first that have waited longest.
    ///
    /// Atomic: two workers never hold the same run, nor one worker twice, unless its lease lapsed. Nothing is written when
    /// there is nothing to do.
    /// - Parameters:
    ///   - scope: which jobs.
    ///   - limit: the most runs to lease, 0...1000.
    ///   - worker: who asks.
    ///   - leaseDuration: how long the leases hold; more than zero.
    ///   - now: the time of the claim.
    /// - Returns: the runs, and whether there may be more to do.
    /// - Throws: ``StoreError``.
    func claimJobRuns(
        of scope: JobScope,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> JobClaim

    /// Does the next step of a run that the store does by itself: makes its campaign, or changes a page of activities.
    ///
    /// One transaction, which moves the run on and extends the lease. Signals what the step does, and
    /// ``StoreChange/jobsDue`` with the last one.
    /// - Parameters:
    ///   - lease: the run, and who holds it.
    ///   - leaseDuration: how long the lease is to hold from `now` on.
    ///   - now: the time of the call.
    /// - Returns: the run as it is now; call again until it is final.
    /// - Throws: ``StoreError`` `.leaseLost` when the lease is lost, or the job is gone: stop working on it.
    func carryOut(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws -> JobRun

    /// Extends the lease of a run.
    ///
    /// - Parameters:
    ///   - lease: the run, and who holds it.
    ///   - leaseDuration: how long the lease is to hold from `now` on.
    ///   - now: the time of the call.
    /// - Throws: ``StoreError`` `.leaseLost`.
    func extendJobLease(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws

    /// Books what an attempt at a run came to; one that failed is repeated as often as the job's policy says.
    ///
    /// Signals ``StoreChange/jobsDue``.
    /// - Parameters:
    ///   - lease: the run, and who holds it.
    ///   - end: what it came to.
    ///   - now: the time of the call.
    /// - Returns: the run as it is now.
    /// - Throws: ``StoreError`` `.leaseLost`; nothing was booked then.
    @discardableResult
    func finishJobRun(_ lease: JobLease, as end: JobRunEnd, now: Date) async throws -> JobRun

    /// Gives a run back for another worker to go on at once; does nothing when the lease is lost.
    ///
    /// Signals ``StoreChange/jobsDue``.
    func releaseJobRun(_ lease: JobLease, now: Date) async throws
}
