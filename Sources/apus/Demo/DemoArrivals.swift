// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport

/// What has to arrive at the phones of Live Activities, compared with what did.
struct DemoArrivals: Sendable {
    /// One change that one phone has to be told, and be told once.
    struct Change: Sendable {
        /// For messages.
        let title: String

        /// Whether it was planned ahead, for the scheduler to carry out.
        let isPlanned: Bool

        let push: Push
    }

    /// By what a push is told from another.
    struct Push: Hashable, Sendable {
        let device: String
        let event: String
        let state: JSONValue?
        var hasAlert = false
    }

    /// What came of the changes.
    struct Verdict: Equatable, Sendable {
        /// How many changes were planned ahead.
        var planned = 0

        /// How many of these have arrived.
        var plannedSeen = 0

        /// How many pushes have brought what another one had brought before.
        var duplicates = 0

        /// What is not as it has to be, in words.
        var faults: [String] = []
    }

    private(set) var changes: [Change] = []

    mutating func expect(_ title: String, isPlanned: Bool = false, _ push: Push) {
        self.changes.append(Change(title: title, isPlanned: isPlanned, push: push))
    }

    /// Compares with all that has arrived at the phones.
    func verdict(on arrivals: [SimulatorClient.Arrival]) -> Verdict {
        var found: [Push: Int] = [:]
        for arrival in arrivals { found[Push(arrival), default: 0] += 1 }
        var verdict = Verdict()
        for change in self.changes {
            let count = found.removeValue(forKey: change.push) ?? 0
            if change.isPlanned { verdict.planned += 1 }
            if change.isPlanned, count > 0 { verdict.plannedSeen += 1 }
            verdict.duplicates += max(0, count - 1)
            if count == 0 { verdict.faults.append("\(change.title) has not arrived") }
            if count > 1 { verdict.faults.append("\(change.title) has arrived \(count) times") }
        }
        for (push, count) in found.sorted(by: { $0.key.event < $1.key.event }) {
            verdict.faults.append("\(count) pushes of the event '\(push.event)' have arrived that nobody had sent")
        }
        return verdict
    }
}

extension DemoArrivals.Push {
    init(_ arrival: SimulatorClient.Arrival) {
        let aps = arrival.payload["aps"]
        var event = ""
        if case .string(let name) = aps?["event"] { event = name }
        self.init(
            device: arrival.device,
            event: event,
            state: aps?["content-state"],
            hasAlert: aps?["alert"] != nil
        )
    }
}
