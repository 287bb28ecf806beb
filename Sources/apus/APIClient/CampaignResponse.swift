// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport

/// The displayed part of a campaign.
struct CampaignResponse: Decodable {
    struct Progress: Decodable {
        struct Counts: Decodable {
            let delivered: Int
            let rejected: [String: Int]
            let failed: [String: Int]
        }

        /// A reason why targets are not sent.
        struct Waiting: Decodable {
            let environment: String
            let credential: String
            let cause: String
            let reason: String
            let since: String
            let nextAttempt: String
        }

        let state: String
        let reason: String?
        let expected: Int?
        let planned: Int
        let underWay: Int
        let remaining: Int?
        let counts: Counts
        let perSecond: Double?
        let secondsLeft: Double?
        let waitingFor: [Waiting]?
        let deferredUntil: String?
        let isSettled: Bool
    }

    let id: String
    let name: String
    let createdAt: String
    let progress: Progress
}

extension CampaignResponse.Progress {
    /// The number of devices, as far as it is known.
    private var total: Int { max(self.expected ?? self.planned, self.planned) }

    /// The number of devices with an outcome.
    private var settled: Int { self.planned.subtractingClamping(self.underWay) }

    var summary: String {
        var parts = ["\(self.settled) of \(self.total)", "\(self.counts.delivered) delivered"]
        let refused = self.counts.rejected
            .merging(self.counts.failed, uniquingKeysWith: { $0.addingClamping($1) })
        parts += refused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !self.isSettled {
            if self.state != "running" { parts.append(self.state) }
            if let perSecond { parts.append("\(Int(clamping: perSecond.rounded())) a second") }
            parts += (self.waitingFor ?? []).map(\.summary)
            if let deferredUntil { parts.append("the rest is deferred by APNs until \(deferredUntil)") }
            if let secondsLeft { parts.append("\(Int(clamping: secondsLeft.rounded(.up))) s left") }
        }
        if let reason { parts.append(reason) }
        return parts.joined(separator: ", ")
    }

    func bar(width: Int) -> String {
        let share = self.total == 0 ? 0 : Double(self.settled) / Double(self.total)
        // Inconsistent counts, for example of a newer server, fill the bar or leave it empty.
        let full = min(width, max(0, Int(clamping: (Double(width) * share).rounded(.down))))
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "]"
    }
}

extension CampaignResponse.Progress.Waiting {
    /// The failure in a few words, without the time of the next attempt, so that it does not change during the failure.
    var summary: String {
        let trouble =
            switch self.cause {
            case "credential": "APNs (\(self.environment)) rejects the credential \(self.credential)"
            case "overload": "APNs (\(self.environment)) is overloaded"
            default: "APNs (\(self.environment)) is unreachable"
            }
        return "waits since \(self.since): \(trouble): \(self.reason)"
    }
}
