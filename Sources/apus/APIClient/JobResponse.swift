// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The displayed part of a job.
struct JobResponse: Decodable {
    struct Schedule: Decodable {
        let cron: String?
        let timeZone: String?
        let everySeconds: Int64?

        var summary: String {
            if let everySeconds { return "every \(everySeconds) s" }
            return [self.cron, self.timeZone == "UTC" ? nil : self.timeZone].compactMap(\.self).joined(separator: " ")
        }
    }

    struct Run: Decodable {
        let id: String
        let trigger: String
        let dueAt: String
        let state: String
        let occurrences: Int
        let attempts: Int
        let startedAt: String?
        let endedAt: String?
        let processedCount: Int
        let reason: String?
        let message: String?
        let campaign: String?
    }

    let id: String
    let type: String
    let schedule: Schedule
    let overlap: String
    let misfire: String
    let misfireGraceSeconds: Int?
    let jitterSeconds: Int
    let maxRetries: Int
    let paused: Bool
    let nextRunAt: String?
    let lastRun: Run?
}

extension JobResponse {
    var due: String {
        self.paused ? "\(self.id) is paused." : "\(self.id) is due next at \(self.nextRunAt ?? "no time")."
    }

    /// The state of the job as lines without control characters.
    var lines: [String] {
        let misfire = self.misfireGraceSeconds.map { "\(self.misfire) within \($0) s" } ?? self.misfire
        var lines = [
            "\(self.id): \(self.type), \(self.schedule.summary)",
            "next     \(self.paused ? "paused" : self.nextRunAt ?? "-")",
            "overlap  \(self.overlap)",
            "misfire  \(misfire)",
        ]
        if self.jitterSeconds > 0 { lines.append("jitter   up to \(self.jitterSeconds) s") }
        if self.maxRetries > 0 { lines.append("retries  \(self.maxRetries)") }
        if let run = self.lastRun {
            lines.append("last     \(run.state), due \(run.dueAt), processed \(run.processedCount)")
            if !run.remark.isEmpty { lines.append("         \(run.remark)") }
        }
        return lines.map(\.printable)
    }
}

extension JobResponse.Run {
    var remark: String {
        var parts: [String] = []
        if let reason { parts.append(reason) }
        if self.occurrences > 1 { parts.append("for \(self.occurrences) occurrences") }
        if self.attempts > 1 { parts.append("\(self.attempts) attempts") }
        if let message { parts.append(message) }
        if let campaign { parts.append("campaign \(campaign)") }
        return parts.joined(separator: ", ")
    }
}
