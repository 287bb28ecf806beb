// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
package import Foundation
package import PushModel
package import PushStore

/// The jobs with which the checks work.
package enum JobSamples {
    package static let id: JobID = "lessons.ending"
    package static let lease: Duration = .seconds(15)

    /// Turns lessons to `ending` that end within 16 minutes, each minute.
    package static func ending(_ policy: JobPolicy = JobPolicy()) throws -> JobDefinition {
        JobDefinition(
            schedule: try .cron("* * * * *"),
            work: .activities(
                JobActivities(
                    attributesType: ActivitySamples.type,
                    window: .init(instant: "endsAt", until: 960),
                    condition: try JSONFragment(json: #"{"status":"active"}"#),
                    change: try ActivitySamples.patch(#"{"status":"ending"}"#)
                )
            ),
            policy: policy
        )
    }

    /// Greets all devices, each minute.
    package static func greeting(_ policy: JobPolicy = JobPolicy()) throws -> JobDefinition {
        let message = CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"寿司"}}"#)))
        return JobDefinition(
            schedule: try .cron("* * * * *"),
            work: .campaign(JobCampaign(audience: .all, message: message, throttle: 10, lifetimeSeconds: 600)),
            policy: policy
        )
    }

    /// Is done by a program, each minute.
    package static func code(_ policy: JobPolicy = JobPolicy()) throws -> JobDefinition {
        JobDefinition(schedule: try .cron("* * * * *"), work: .code, policy: policy)
    }
}

/// Checks are written against these shorter forms of the calls.
extension JobStore where Self: BatchStore & AppStore {
    /// Adds the sample app and a job.
    package func addJob(
        _ definition: JobDefinition,
        _ id: JobID = JobSamples.id,
        isPaused: Bool = false
    ) async throws {
        if try await self.app(StoreSamples.app) == nil { try await self.addSampleApp() }
        let put = try await self.put(definition, id, isPaused: isPaused)
        guard case .created = put else {
            throw ConformanceFailure(message: "putting the job came to \(put)", location: "JobSamples")
        }
    }

    /// Defines a job.
    package func put(
        _ definition: JobDefinition,
        _ id: JobID = JobSamples.id,
        isPaused: Bool? = nil,
        now: Date = StoreSamples.now
    ) async throws -> JobPutting {
        try await self.putJob(id, of: StoreSamples.app, as: definition, isPaused: isPaused, now: now)
    }

    /// Claims runs, so many seconds from the beginning.
    package func claimRuns(
        after seconds: Double,
        by worker: WorkerID = StoreSamples.worker,
        scope: JobScope = .builtIn,
        limit: Int = 10
    ) async throws -> [ClaimedJobRun] {
        let claim = try await self.claimJobRuns(
            of: scope,
            limit: limit,
            worker: worker,
            leaseDuration: JobSamples.lease,
            now: StoreSamples.after(seconds)
        )
        return claim.runs
    }

    /// The only run that can be claimed.
    package func claimRun(
        after seconds: Double,
        by worker: WorkerID = StoreSamples.worker,
        scope: JobScope = .builtIn
    ) async throws -> ClaimedJobRun {
        let claimed = try await self.claimRuns(after: seconds, by: worker, scope: scope)
        try expectEqual(claimed.count, 1, "how many runs can be claimed after \(seconds) s")
        return claimed[0]
    }

    /// Does a claimed run to its end.
    package func carryOut(_ claimed: ClaimedJobRun, after seconds: Double) async throws -> JobRun {
        while true {
            let run = try await self.step(claimed, after: seconds)
            if run.state.isFinal { return run }
        }
    }

    /// Does the next step of a claimed run.
    package func step(_ claimed: ClaimedJobRun, after seconds: Double) async throws -> JobRun {
        try await self.carryOut(claimed.lease, leaseDuration: JobSamples.lease, now: StoreSamples.after(seconds))
    }

    /// The runs of a job, the youngest first.
    package func history(_ id: JobID = JobSamples.id, limit: Int = 1000) async throws -> [JobRun] {
        try await self.jobRuns(of: id, app: StoreSamples.app, after: nil, limit: limit).elements
    }

    /// How a job stands.
    package func status(_ id: JobID = JobSamples.id) async throws -> JobStatus {
        try require(try await self.job(id, of: StoreSamples.app), "the job")
    }
}
