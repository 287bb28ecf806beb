// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusScheduling
import Cron
import PushModel

/// Each minute, turns the lessons to `ending` that end within 16 minutes: the job of the guide, in Swift.
struct LessonEndingJob: ScheduledJob {
    var schedule: Schedule { get throws { try .cron("* * * * *", timeZone: "Asia/Seoul") } }

    func run(_ context: JobContext) async throws -> JobResult {
        let changed = try await context.client.changeActivities(
            JobActivities(
                attributesType: "LessonAttributes",
                window: .init(instant: "endsAt", untilSeconds: 16 * 60),
                condition: try RawJSONObject(["status": "active"]),
                change: ActivityChange(contentState: .patched(try RawJSONObject(["status": "ending"])))
            )
        )
        return JobResult(processedCount: changed)
    }
}
