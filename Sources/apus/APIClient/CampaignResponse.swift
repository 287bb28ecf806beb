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
            let nextProbeAt: String
        }

        let state: String
        let reason: String?
        let total: Int?
        let enqueued: Int
        let inFlight: Int
        let remaining: Int?
        let counts: Counts
        let ratePerSecond: Double?
        let remainingSeconds: Double?
        let blockedBy: [Waiting]?
        let deferredUntil: String?
        let isCompleted: Bool
    }

    let id: String
    let name: String
    let createdAt: String
    let progress: Progress
}

extension CampaignResponse.Progress {
    /// The number of devices, as far as it is known.
    private var deviceCount: Int { max(self.total ?? self.enqueued, self.enqueued) }

    /// The number of devices with an outcome.
    private var settled: Int { self.enqueued.subtractingClamping(self.inFlight) }

    var summary: String {
        var parts = ["\(self.settled) of \(self.deviceCount)", "\(self.counts.delivered) delivered"]
        let refused = self.counts.rejected
            .merging(self.counts.failed, uniquingKeysWith: { $0.addingClamping($1) })
        parts += refused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !self.isCompleted {
            if self.state != "running" { parts.append(self.state) }
            if let ratePerSecond { parts.append("\(Int(clamping: ratePerSecond.rounded())) a second") }
            parts += (self.blockedBy ?? []).map(\.summary)
            if let deferredUntil { parts.append("the rest is deferred by APNs until \(deferredUntil)") }
            if let remainingSeconds { parts.append("\(Int(clamping: remainingSeconds.rounded(.up))) s left") }
        }
        if let reason { parts.append(reason) }
        return parts.joined(separator: ", ")
    }

    func bar(width: Int) -> String {
        let share = self.deviceCount == 0 ? 0 : Double(self.settled) / Double(self.deviceCount)
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
