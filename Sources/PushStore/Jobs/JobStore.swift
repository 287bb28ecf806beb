// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The jobs of apps, and their runs.
///
/// The transaction that advances a job creates or skips its due occurrences, so each is processed once, regardless of
/// the number of schedulers and their clocks. One worker at a time leases a run. The store executes its part of a run
/// step by step; one transaction commits each step and the cursor at which the next worker continues. `DueOccurrences` and
/// `JobRun` have the rules.
public protocol JobStore: JobQueue {
    /// Creates a job, or replaces its definition.
    ///
    /// A started run continues with the new definition. Signals ``StoreChange/jobsDue``. Without `isPaused`, a new job
    /// is active, and an existing one keeps its state.
    func putJob(
        _ id: JobID,
        of app: AppID,
        as definition: JobDefinition,
        isPaused: Bool?,
        now: Date
    ) async throws -> PutJobResult

    func job(_ id: JobID, of app: AppID) async throws -> JobStatus?

    /// An app's jobs in the order of their names.
    func jobs(of app: AppID, after cursor: JobID?, limit: Int) async throws -> Page<JobStatus, JobID>

    /// Removes a job with all of its runs; one that is going stops after its step.
    @discardableResult
    func deleteJob(_ id: JobID, of app: AppID) async throws -> Bool

    /// Pauses a job: its occurrences pass without a run; waiting runs are skipped, started ones continue.
    func pauseJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus?

    /// Runs a job again from its next occurrence on; signals ``StoreChange/jobsDue``.
    func resumeJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus?

    /// Makes a run of a job now, paused or not; signals ``StoreChange/jobsDue``.
    func runJob(_ id: JobID, of app: AppID, now: Date) async throws -> RunJobResult?

    /// The runs of a job, the latest first; the last 1,000 that have ended are kept.
    func jobRuns(of id: JobID, app: AppID, after cursor: Int64?, limit: Int) async throws -> Page<JobRun, Int64>
}

/// The due runs of jobs, for workers.
public protocol JobQueue: Sendable {
    /// Returns when jobs have work next, so that schedulers need not poll before; `nil` if there is none.
    func nextJobTime(of scope: JobSelection) async throws -> Date?

    /// Creates due runs, and leases at most `limit` runs, 0...1000, those first that have waited longest.
    func claimJobRuns(
        of scope: JobSelection,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> JobClaim

    /// Creates the campaign of a run, or changes a page of its activities; call it again until the run is final.
    ///
    /// The transaction advances the run and extends the lease. Signals the changes of the step, and
    /// ``StoreChange/jobsDue`` with the last one.
    func carryOut(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws -> JobRun

    func extendJobLease(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws

    /// Books the end of an attempt; a failed one is repeated by policy; signals ``StoreChange/jobsDue``.
    @discardableResult
    func finishJobRun(_ lease: JobLease, as end: JobRunResult, now: Date) async throws -> JobRun

    /// Gives a run back, unless the lease is lost; signals ``StoreChange/jobsDue``.
    func releaseJobRun(_ lease: JobLease, now: Date) async throws
}

/// Which jobs a worker looks after.
public enum JobSelection: Hashable, Sendable {
    /// All jobs that the schedulers of Apus can execute: those of every app, except jobs in code.
    case builtIn

    /// Jobs of an app that a program does in code.
    case code(AppID, [JobID])
}

public enum PutJobResult: Hashable, Sendable {
    case created(JobStatus)

    /// It was there, and is as it was defined now.
    case changed(JobStatus)

    /// It is as it was.
    case refused(JobDefinitionError)
}

public enum JobDefinitionError: Error, Hashable, Sendable {
    /// The app has as many jobs as it may have.
    case tooMany

    /// The job of this name is done by a program, and only that defines it.
    case isCode

    /// The job of this name is not done by a program.
    case isNotCode
}

public enum RunJobResult: Hashable, Sendable {
    /// The run was created, and is executed as soon as a worker claims it.
    case made(JobRun)

    /// The job has as many open runs as its policy allows.
    case busy
}

public struct JobClaim: Hashable, Sendable {
    public var runs: [ClaimedJobRun]
    public var hasMore: Bool

    public init(runs: [ClaimedJobRun] = [], hasMore: Bool = false) {
        self.runs = runs
        self.hasMore = hasMore
    }
}

public struct ClaimedJobRun: Hashable, Sendable {
    public let job: Job
    public let run: JobRun
    public let lease: JobLease

    public init(job: Job, run: JobRun, worker: WorkerID) {
        self.job = job
        self.run = run
        self.lease = JobLease(run: run.id, worker: worker, attempt: run.attempt)
    }
}

/// Proves that a run belongs to a worker.
public struct JobLease: Hashable, Sendable {
    public let run: JobRunID
    public let worker: WorkerID

    /// The attempt: a worker that claims its run again has another lease.
    public let attempt: Int
}

package struct JobRow: Sendable {
    package let number: Int64
    package let app: Int64

    package var job: Job

    /// `number` and `id` are the names of these columns.
    package init(stored row: StoredRow, number: String = "number", id: String = "id") throws {
        self.number = try row.int64(number)
        self.app = try row.int64("app")
        let definition = try StoredJSON.decode(JobDefinition.self, row.openedText("definition") ?? "", "job")
        guard definition.isWithinLimits else { throw StoreError.damaged("job") }
        self.job = Job(
            id: try row.identifier(id),
            app: try row.identifier("app_id"),
            definition: definition,
            isPaused: try row.number("is_paused") == 1,
            nextRunAt: try row.optionalDate("next_at"),
            createdAt: try row.date("created_at"),
            updatedAt: try row.date("updated_at")
        )
    }

    package static let damagedRunReason =
        "The stored run is corrupt. Restore the database from a backup, or start another run."
}

extension Job {
    package var storedIsCode: Int { self.definition.work == .code ? 1 : 0 }

    package var storedIsPaused: Int { self.isPaused ? 1 : 0 }
}

/// States: 0 waiting, 1 running, 2 succeeded, 3 failed, 4 skipped.
extension JobRun {
    private static let states: [State] = [.waiting, .running, .succeeded, .failed, .skipped]

    package init(stored row: StoredRow) throws {
        self.init(
            id: JobRunID(try row.apnsID("id", of: "run of a job")),
            number: try row.int64("number"),
            trigger: try row.number("by_hand") == 1 ? .manual : .schedule,
            dueAt: try row.date("due_at"),
            occurrences: try row.number("occurrences", in: StoredLimit.sums),
            state: try row.element("state", of: Self.states, in: "run of a job"),
            attempt: try row.number("attempt", in: StoredLimit.counts),
            setbacks: try row.number("setbacks", in: StoredLimit.counts),
            startedAt: try row.optionalDate("started_at"),
            endedAt: try row.optionalDate("ended_at"),
            processedCount: try row.number("processed", in: StoredLimit.sums),
            place: try row.int64("place"),
            skip: try row.text("skip").flatMap { Skip(rawValue: $0) },
            message: try row.text("message"),
            responseStatus: try row.optionalNumber("answer_status"),
            campaign: try row.bytes("campaign").flatMap { APNsID(stored: $0) }.map { CampaignID($0) },
            worker: try row.text("worker").flatMap { WorkerID(rawValue: $0) },
            claimableAt: try row.optionalDate("claimable_at")
        )
    }

    /// The value of the column `state`; those from 2 on are final.
    package var storedState: Int { Self.states.firstIndex(of: self.state) ?? 0 }
}
