// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A Live Activity, as much of it as people are told.
struct ActivityAnswer: Decodable {
    struct Phones: Decodable {
        let invited: Int
        let active: Int
        let gone: Int
        let behind: Int

        /// How many have come how far, in a line.
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
    let rollouts: [RolloutAnswer]?

    /// Whether phones ignore what comes from now on.
    var isOver: Bool { self.state == "ended" || self.state == "expired" }

    /// The content state as text.
    var stateText: String {
        guard let json = try? self.contentState?.json() else { return "-" }
        return String(decoding: json, as: UTF8.self)
    }

    /// How it stands, in a line.
    var summary: String {
        let phones = self.phones.map { "; \($0.summary)" } ?? ""
        let rollouts = (self.rollouts ?? []).filter { !$0.isOver }.map { "; rollout \($0.summary)" }.joined()
        return "\(self.id): \(self.state), version \(self.version)\(phones)\(rollouts); \(self.stateText)"
    }
}

/// A planned transition of an activity, as much of it as people are told.
struct TransitionAnswer: Decodable {
    let id: String
    let state: String
    let dueAt: String?
}

/// An entry of an activity's timeline.
struct TimelineAnswer: Decodable, Hashable {
    struct Sending: Decodable, Hashable {
        let count: Int
        let delivered: Int?
        let rejected: [String: Int]?
        let failed: [String: Int]?

        /// How many have come to an outcome; all of those whose outcomes are gone by their age.
        var settled: Int {
            guard let delivered else { return self.count }
            return delivered + (self.rejected ?? [:]).values.reduce(0, +) + (self.failed ?? [:]).values.reduce(0, +)
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

extension TimelineAnswer {
    /// Reads an entry.
    init(_ value: JSONValue) throws {
        self = try APIAnswer(body: .init(try value.json())).decoded()
    }

    /// Whether all of its pushes have their outcomes.
    var isSettled: Bool { self.sent.allSatisfy { $0.settled >= $0.count } }

    /// What its pushes came to, in a few words; `nil` where there are none.
    var outcomes: String? {
        let count = self.sent.map(\.count).reduce(0, +)
        guard count > 0 else { return nil }
        var parts: [String] = []
        let delivered = self.sent.compactMap(\.delivered).reduce(0, +)
        if delivered > 0 { parts.append("\(delivered) delivered") }
        for reasons in [self.sent.compactMap(\.rejected), self.sent.compactMap(\.failed)] {
            let counts = reasons.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
            parts += counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        }
        return parts.isEmpty ? "\(count)" : "\(count): \(parts.joined(separator: ", "))"
    }

    /// What was changed, as text; `nil` where nothing was.
    var changesText: String? {
        let texts = (self.changes ?? []).compactMap { try? $0.json() }.map { String(decoding: $0, as: UTF8.self) }
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }

    /// What happened, in a line.
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

    /// Whether there is nothing new to tell of it: it is told when it happens, and when all pushes have their outcomes.
    func tellsTheSame(as other: TimelineAnswer) -> Bool {
        self.sequence == other.sequence && (self.isSettled == other.isSettled || !other.isSettled)
    }
}
