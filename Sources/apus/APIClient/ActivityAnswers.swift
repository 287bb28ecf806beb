// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport

/// The displayed part of a Live Activity.
struct ActivityResponse: Decodable {
    struct ParticipantCounts: Decodable {
        let starting: Int
        let active: Int
        let ended: Int
        let outdated: Int

        var summary: String {
            "\(self.active) active, \(self.starting) starting, \(self.ended) ended"
                + (self.outdated > 0 ? "; \(self.outdated) outdated" : "")
        }
    }

    let id: String
    let attributesType: String
    let contentState: JSONValue?
    let state: String
    let version: Int
    let staleDate: String?
    let instants: [String: String]
    let participantCounts: ParticipantCounts?
    let rollouts: [RolloutResponse]?

    /// Whether devices ignore later pushes.
    var isOver: Bool { self.state == "ended" || self.state == "expired" }

    var stateText: String {
        guard let json = try? self.contentState?.json() else { return "-" }
        return String(decoding: json, as: UTF8.self)
    }

    var summary: String {
        let counts = self.participantCounts.map { "; \($0.summary)" } ?? ""
        let rollouts = (self.rollouts ?? []).filter { !$0.isOver }.map { "; rollout \($0.summary)" }.joined()
        return "\(self.id): \(self.state), version \(self.version)\(counts)\(rollouts); \(self.stateText)"
    }
}

/// The displayed part of a transition of an activity.
struct TransitionResponse: Decodable {
    let id: String
    let state: String
    let dueAt: String?
}

/// An entry of an activity's timeline.
struct TimelineEntryResponse: Decodable, Hashable {
    struct Sending: Decodable, Hashable {
        let count: Int
        let delivered: Int?
        let rejected: [String: Int]?
        let failed: [String: Int]?

        /// The number of pushes with an outcome; all of them if their outcomes were pruned.
        var settled: Int {
            guard let delivered else { return self.count }
            let failures = [self.rejected, self.failed].compactMap(\.self).flatMap(\.values)
            return ([delivered] + failures).clampingSum
        }
    }

    let sequence: Int
    let time: String
    let type: String
    let version: Int
    let device: String?
    let detail: String?
    let changes: [JSONValue]?
    let pending: Int
    let sent: [Sending]
}

extension TimelineEntryResponse {
    init(_ value: JSONValue) throws {
        self = try APIResponse(body: .init(try value.json())).decoded()
    }

    /// Whether all of its pushes have their outcomes.
    var isSettled: Bool { self.sent.allSatisfy { $0.settled >= $0.count } }

    /// The outcomes of its pushes, in a few words; `nil` if there are no pushes.
    var outcomes: String? {
        let count = self.sent.map(\.count).clampingSum
        guard count > 0 else { return nil }
        var parts: [String] = []
        let delivered = self.sent.compactMap(\.delivered).clampingSum
        if delivered > 0 { parts.append("\(delivered) delivered") }
        for reasons in [self.sent.compactMap(\.rejected), self.sent.compactMap(\.failed)] {
            let counts = reasons.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: { $0.addingClamping($1) }) }
            parts += counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        }
        return parts.isEmpty ? "\(count)" : "\(count): \(parts.joined(separator: ", "))"
    }

    /// The changes as text; `nil` if there are none.
    var changesText: String? {
        let texts = (self.changes ?? []).compactMap { try? $0.json() }.map { String(decoding: $0, as: UTF8.self) }
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }

    var summary: String {
        var parts = [self.type]
        if let detail { parts.append(detail) }
        if let device { parts.append("on \(device)") }
        parts.append("version \(self.version)")
        if let outcomes { parts.append("sent to \(outcomes)") }
        if self.pending > 0 { parts.append("\(self.pending) pending") }
        if let changesText { parts.append(changesText) }
        return parts.joined(separator: "  ")
    }

    /// Whether it has no news for the output: an entry is shown when it occurs, and when all its pushes have outcomes.
    func tellsTheSame(as other: TimelineEntryResponse) -> Bool {
        self.sequence == other.sequence && (self.isSettled == other.isSettled || !other.isSettled)
    }
}

/// The result of a request that sent pushes of a Live Activity.
struct ActivityUpdateResponse: Decodable {
    struct Warning: Decodable {
        let field: String
        let message: String
    }

    struct Budget: Decodable {
        let pushes: Int
        let overBudget: Int
        let downgraded: Int
        let used: Int
        let remaining: Int
        let availableAt: String?
    }

    let activity: String
    let version: Int
    let state: String
    let sent: Int
    let pending: Int
    let notStartable: [String]?
    let alreadyParticipating: Int?
    let rollout: RolloutResponse?
    let warnings: [Warning]?
    let budget: Budget?
    let dryRun: Bool?
    let audience: Int?
    let outcome: NotificationResponse?

    func report() {
        let pending = self.pending > 0 ? ", \(self.pending) pending" : ""
        let style = TerminalStyle.standardOutput()
        if self.dryRun == true {
            let would = "\(self.activity) would be \(self.state) at version \(self.version): \(self.sent) devices."
            Console.out(would.printable)
        } else {
            let sent = "\(self.activity) is \(self.state) at version \(self.version): \(self.sent) sent\(pending)."
            Console.out(sent.printable)
        }
        if let budget, self.dryRun == true || budget.overBudget > 0 {
            let available = budget.availableAt.map { ", available again at \($0)" } ?? ""
            let text =
                "Budget: \(budget.pushes) of priority 10, \(budget.downgraded) downgraded to 5, "
                + "\(budget.overBudget) devices over it\(available); up to \(budget.used) within the last hour, "
                + "\(budget.remaining) left"
            Console.out(budget.overBudget > 0 ? style.yellow(text) : text)
        }
        if let names = self.notStartable, !names.isEmpty {
            let text = "No token to start it with: \(names.joined(separator: ", "))"
            Console.out(style.yellow(text.printable))
        }
        if let alreadyParticipating {
            Console.out("\(alreadyParticipating) are participants already, and are not started again.")
        }
        if let audience { Console.out("The topic or audience has \(audience) devices.") }
        if let rollout {
            Console.out("Rollout \(rollout.id) started; `apus activity watch` shows its progress.".printable)
        }
        for warning in self.warnings ?? [] {
            Console.out(style.yellow("\(warning.field): \(warning.message)".printable))
        }
        guard let outcome else { return }
        Console.out("\(outcome.counts.delivered) of \(outcome.targetCount) accepted by APNs (\(outcome.id))")
        for failure in outcome.outcomes ?? outcome.failures ?? [] where failure.state != "delivered" {
            let why = [failure.status.map(String.init), failure.reason, failure.code].compactMap(\.self)
            Console.out(style.red("  \(failure.apnsID): \(why.joined(separator: " "))"))
        }
    }
}

/// The displayed part of a rollout.
struct RolloutResponse: Decodable, Hashable {
    struct Skipped: Decodable, Hashable {
        let withoutToken: Int
        let alreadyParticipating: Int
        let otherEnvironment: Int
    }

    let id: String
    let state: String
    let reason: String?
    let startsSent: Int
    let skipped: Skipped
    let remaining: Int?

    var isOver: Bool { self.state != "running" }

    var summary: String {
        var parts = ["\(self.startsSent) started"]
        if self.skipped.alreadyParticipating > 0 {
            parts.append("\(self.skipped.alreadyParticipating) are participants already")
        }
        if self.skipped.withoutToken > 0 { parts.append("\(self.skipped.withoutToken) without a token") }
        if self.skipped.otherEnvironment > 0 {
            parts.append("\(self.skipped.otherEnvironment) of the other environment")
        }
        if !self.isOver { parts.append(self.remaining.map { "\($0) left" } ?? "counting") }
        if let reason { parts.append(reason) }
        return "\(self.state): \(parts.joined(separator: ", "))"
    }
}
