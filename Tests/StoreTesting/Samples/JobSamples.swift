// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
package import Foundation
package import PushModel
package import PushStore
import Testing

/// The jobs of the tests.
package enum JobSamples {
    package static let id: JobID = "lessons.ending"
    package static let lease: Duration = .seconds(15)

    /// Turns lessons to `ending` that end within 16 minutes, each minute.
    package static func ending(_ policy: JobPolicy = JobPolicy()) throws -> JobDefinition {
        JobDefinition(
            schedule: try .cron("* * * * *"),
            work: .activities(
                JobActivities(
                    attributesType: ActivityFixtures.type,
                    window: .init(instant: "endsAt", untilSeconds: 960),
                    condition: try RawJSONObject(json: #"{"status":"active"}"#),
                    change: try ActivityFixtures.patch(#"{"status":"ending"}"#)
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
            work: .campaign(JobCampaign(audience: .all, message: message, ratePerSecond: 10, lifetimeSeconds: 600)),
            policy: policy
        )
    }

    /// Is done by a program, each minute.
    package static func code(_ policy: JobPolicy = JobPolicy()) throws -> JobDefinition {
        JobDefinition(schedule: try .cron("* * * * *"), work: .code, policy: policy)
    }
}

/// Shorter forms of the calls, for tests.
extension JobStore where Self: BatchStore & AppStore {
    /// Defines a job.
    package func put(
        _ definition: JobDefinition,
        _ id: JobID = JobSamples.id,
        isPaused: Bool? = nil,
        now: Date = StoreFixtures.now
    ) async throws -> PutJobResult {
        try await self.putJob(id, of: StoreFixtures.app, as: definition, isPaused: isPaused, now: now)
    }

    /// How a job stands.
    package func status(_ id: JobID = JobSamples.id) async throws -> JobStatus {
        try #require(try await self.job(id, of: StoreFixtures.app), "the job")
    }
}
