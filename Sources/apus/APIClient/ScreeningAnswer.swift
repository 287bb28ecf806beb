// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A screening, as much of it as people are told.
struct ScreeningAnswer: Codable {
    struct Report: Codable {
        struct Unknown: Codable {
            let rejected: [String: Int]
            let failed: [String: Int]
        }

        let checked: Int
        let alive: Int
        let dead: Int
        let otherEnvironment: Int
        let corrected: Int
        let bad: Int
        let unknown: Unknown
    }

    let id: String
    let name: String
    let createdAt: String
    let spreadSeconds: Int
    let correct: Bool
    let state: String
    let reason: String?
    let phase: String
    let expected: Int?
    let remaining: Int?
    let waitingFor: [CampaignAnswer.Progress.Waiting]?
    let deferredUntil: String?
    let isSettled: Bool
    let report: Report

    /// Numbers in a few words.
    var summary: String {
        let report = self.report
        var parts = [
            "\(report.checked) of \(max(self.expected ?? 0, report.checked)) checked", "\(report.alive) alive",
        ]
        parts += [
            (report.dead, "dead"), (report.otherEnvironment, "of the other environment"),
            (report.corrected, "corrected"),
            (report.bad, "bad in both"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let unknown = report.unknown.rejected.merging(report.unknown.failed) { $0 + $1 }
        parts += unknown.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !self.isSettled {
            parts += (self.waitingFor ?? []).map(\.summary)
            if let deferredUntil { parts.append("the rest is sent later, as APNs asked, from \(deferredUntil) on") }
        }
        if !self.isSettled, self.phase != "checking" { parts.append(self.phase) }
        if let reason { parts.append(reason) }
        return parts.joined(separator: ", ")
    }
}
