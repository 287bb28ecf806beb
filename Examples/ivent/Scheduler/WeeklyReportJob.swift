// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusScheduling
import Cron
import Crypto
import Foundation
import IventCore

/// Occupies one core for a few seconds, in place of the language model that writes the reports of a week.
struct WeeklyReportJob: ScheduledJob {
    /// The CPU time of a run, approximately.
    private static let duration: Duration = .seconds(4)

    let database: Database

    var schedule: Schedule { get throws { try .cron("0 3 * * MON", timeZone: "Asia/Seoul") } }

    func run(_ context: JobContext) async throws -> JobResult {
        let end = ContinuousClock.now + Self.duration
        var seed = Data(try ScheduleRecord.list(parent: nil, in: self.database).map(\.id).joined().utf8)
        var rounds = 0
        while ContinuousClock.now < end {
            try Task.checkCancellation()
            for _ in 0..<10_000 { seed = Data(SHA256.hash(data: seed)) }
            rounds += 1
            // The other jobs of this process continue, also on one core.
            await Task.yield()
        }
        return JobResult(processedCount: rounds)
    }
}
