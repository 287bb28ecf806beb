// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// What a worker got.
public struct JobClaim: Hashable, Sendable {
    /// The runs that are the worker's.
    public var runs: [ClaimedJobRun]

    /// Whether there may be more to do already.
    public var hasMore: Bool

    /// Takes runs, and whether there may be more to do.
    public init(runs: [ClaimedJobRun] = [], hasMore: Bool = false) {
        self.runs = runs
        self.hasMore = hasMore
    }
}

/// A run that a worker holds the lease of.
public struct ClaimedJobRun: Hashable, Sendable {
    /// The job.
    public let job: Job

    /// The run.
    public let run: JobRun

    /// Who holds it.
    public let lease: JobLease

    /// Takes a job, a run of it that is claimed, and who holds that.
    public init(job: Job, run: JobRun, worker: WorkerID) {
        self.job = job
        self.run = run
        self.lease = JobLease(run: run.id, worker: worker, attempt: run.attempt)
    }
}

/// By what a worker shows that a run is its own.
public struct JobLease: Hashable, Sendable {
    /// The run.
    public let run: JobRunID

    /// Who holds it.
    public let worker: WorkerID

    /// By which attempt: a worker that claims its own run anew has another lease.
    public let attempt: Int

    /// Takes a run, its worker and the attempt.
    public init(run: JobRunID, worker: WorkerID, attempt: Int) {
        self.run = run
        self.worker = worker
        self.attempt = attempt
    }
}

extension StoreError {
    /// What a worker is told that went on with a run after its lease was gone.
    package static func lost(_ lease: JobLease) -> StoreError {
        StoreError(
            code: .leaseLost,
            message:
                "Worker '\(lease.worker)' does not hold the lease of run \(lease.run) (any more): it lapsed and another "
                + "worker went on, or the job was removed. Stop working on it."
        )
    }
}
