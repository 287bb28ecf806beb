// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport

/// The displayed part of a Live Activity.
struct ActivityResponse: Decodable {
    struct Phones: Decodable {
        let invited: Int
        let active: Int
        let gone: Int
        let behind: Int

        var summary: String {
            "\(self.active) active, \(self.invited) invited, \(self.gone) gone"
                + (self.behind > 0 ? "; \(self.behind) behind" : "")
        }
    }

    let id: String
    let attributesType: String
    let contentState: JSONValue?
    let state: String
    let version: Int
    let staleDate: String?
    let instants: [String: String]
    let phones: Phones?
    let rollouts: [RolloutResponse]?

    /// Whether devices ignore later pushes.
    var isOver: Bool { self.state == "ended" || self.state == "expired" }

    var stateText: String {
        guard let json = try? self.contentState?.json() else { return "-" }
        return String(decoding: json, as: UTF8.self)
    }

    var summary: String {
        let phones = self.phones.map { "; \($0.summary)" } ?? ""
        let rollouts = (self.rollouts ?? []).filter { !$0.isOver }.map { "; rollout \($0.summary)" }.joined()
        return "\(self.id): \(self.state), version \(self.version)\(phones)\(rollouts); \(self.stateText)"
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
    let kind: String
    let version: Int
    let installation: String?
    let detail: String?
    let changes: [JSONValue]?
    let waiting: Int
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
        var parts = [self.kind]
        if let detail { parts.append(detail) }
        if let installation { parts.append("on \(installation)") }
        parts.append("version \(self.version)")
        if let outcomes { parts.append("sent to \(outcomes)") }
        if self.waiting > 0 { parts.append("\(self.waiting) waiting") }
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
        let over: Int
        let lowered: Int
        let used: Int
        let remaining: Int
        let roomAt: String?
    }

    let activity: String
    let version: Int
    let state: String
    let sent: Int
    let waiting: Int
    let unreachable: [String]?
    let takingPart: Int?
    let rollout: RolloutResponse?
    let warnings: [Warning]?
    let budget: Budget?
    let dryRun: Bool?
    let audience: Int?
    let outcome: NotificationResponse?

    func report() {
        let waiting = self.waiting > 0 ? ", \(self.waiting) waiting" : ""
        let style = TerminalStyle.standardOutput()
        if self.dryRun == true {
            let would = "\(self.activity) would be \(self.state) at version \(self.version): \(self.sent) devices."
            Console.out(would.printable)
        } else {
            let sent = "\(self.activity) is \(self.state) at version \(self.version): \(self.sent) sent\(waiting)."
            Console.out(sent.printable)
        }
        if let budget, self.dryRun == true || budget.over > 0 {
            let room = budget.roomAt.map { ", available again at \($0)" } ?? ""
            let text =
                "Budget: \(budget.pushes) of priority 10, \(budget.lowered) lowered to 5, \(budget.over) devices over "
                + "it\(room); up to \(budget.used) within the last hour, \(budget.remaining) left"
            Console.out(budget.over > 0 ? style.yellow(text) : text)
        }
        if let names = self.unreachable, !names.isEmpty {
            let text = "No token to start it with: \(names.joined(separator: ", "))"
            Console.out(style.yellow(text.printable))
        }
        if let takingPart { Console.out("\(takingPart) are participants already, and are not started again.") }
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
    struct PassedOver: Decodable, Hashable {
        let withoutToken: Int
        let takingPart: Int
        let otherEnvironment: Int
    }

    let id: String
    let state: String
    let reason: String?
    let invited: Int
    let passedOver: PassedOver
    let remaining: Int?

    var isOver: Bool { self.state != "running" }

    var summary: String {
        var parts = ["\(self.invited) invited"]
        if self.passedOver.takingPart > 0 { parts.append("\(self.passedOver.takingPart) are participants already") }
        if self.passedOver.withoutToken > 0 { parts.append("\(self.passedOver.withoutToken) without a token") }
        if self.passedOver.otherEnvironment > 0 {
            parts.append("\(self.passedOver.otherEnvironment) of the other environment")
        }
        if !self.isOver { parts.append(self.remaining.map { "\($0) left" } ?? "counting") }
        if let reason { parts.append(reason) }
        return "\(self.state): \(parts.joined(separator: ", "))"
    }
}
