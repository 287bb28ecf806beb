// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusScheduling
import Cron
import Foundation
import IventCore

/// Checks each minute which lessons end within 16 minutes, and announces each of them once.
struct PushNotificationJob: ScheduledJob {
    let database: Database
    let apus: ApusClient
    let now: @Sendable () -> Date

    var schedule: Schedule { get throws { try .cron("* * * * *", timeZone: "Asia/Seoul") } }

    func run(_ context: JobContext) async throws -> JobResult {
        let now = self.now()
        let endingSoon = try ScheduleRecord.endingSoon(
            now...now.addingTimeInterval(ScheduleRecord.endingWindow),
            in: self.database
        )
        var failures: [String] = []
        for schedule in endingSoon {
            do {
                // If the process is killed between these lines, the next run repeats the first one, and Apus
                // recognizes the repetition.
                try await self.apus.announceEnd(of: schedule)
                try schedule.change(to: .ending, in: self.database)
            } catch let error where !(error is CancellationError) {
                // The next run tries it again; the other lessons do not wait for it.
                failures.append("\(schedule.id): \(error)")
            }
        }
        let processed = endingSoon.count - failures.count
        guard failures.isEmpty else {
            return .failure(failures.joined(separator: "\n"), processedCount: processed)
        }
        return JobResult(processedCount: processed)
    }
}
