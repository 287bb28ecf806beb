// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
public import PushModel
import PushStore
import Scheduling

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Runs jobs with the code registered for their names.
struct ScheduledJobHandler: JobHandler {
    let jobs: [JobID: any ScheduledJob]
    let store: any JobClient.Store
    let now: @Sendable () -> Date
    let logger: Logger

    func run(_ claimed: ClaimedJobRun) async -> JobRunResult {
        let (job, run) = (claimed.job, claimed.run)
        guard let code = self.jobs[job.id] else {
            return JobRunResult(
                .failed,
                message: "This program has registered no job with this name.",
                isRepeatable: false
            )
        }
        var logger = self.logger
        logger[metadataKey: "app"] = "\(job.app)"
        logger[metadataKey: "job"] = "\(job.id)"
        logger[metadataKey: "job.run"] = "\(run.id)"
        let context = JobContext(
            job: job.id,
            run: run.id,
            trigger: run.trigger,
            dueAt: run.dueAt,
            occurrences: run.occurrences,
            attempt: run.attempt,
            deadline: self.now().addingTimeInterval(Double(job.definition.policy.timeoutSeconds)),
            client: JobClient(app: job.app, run: run, store: self.store, now: self.now, logger: logger),
            logger: logger
        )
        do {
            let result = try await code.run(context)
            return JobRunResult(
                result.isSuccess ? .succeeded : .failed,
                processedCount: max(0, result.processedCount),
                message: result.message
            )
        } catch {
            return JobRunResult(.failed, message: "\(error)")
        }
    }
}

/// The data of a run, and the tools of its code.
public struct JobContext: Sendable {
    /// The job.
    public let job: JobID

    /// The run: the same for every attempt at it, in every process.
    public let run: JobRunID

    /// What created the run.
    public let trigger: JobRun.Trigger

    /// The due time by the schedule, or the time of the request.
    public let dueAt: Date

    /// The number of occurrences that it represents: itself, and those that were missed before it.
    public let occurrences: Int

    /// Which attempt it is, from 1.
    public let attempt: Int

    /// When the attempt times out: then its task is cancelled.
    public let deadline: Date

    /// The client for the app: updating activities, sending.
    public let client: JobClient

    /// A logger that names the app, the job and the run.
    public let logger: Logger
}
