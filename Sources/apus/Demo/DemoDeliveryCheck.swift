// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport

/// The expected pushes of Live Activities, compared with the received ones.
struct DemoDeliveryCheck: Sendable {
    /// A change that a device must receive exactly once.
    struct Change: Sendable {
        /// For messages.
        let title: String

        /// Whether it was planned ahead, for the scheduler to carry out.
        let isPlanned: Bool

        let push: Push
    }

    /// The values that distinguish a push from others.
    struct Push: Hashable, Sendable {
        let device: String
        let event: String
        let state: JSONValue?
        var hasAlert = false
    }

    /// The result of the comparison.
    struct Verdict: Equatable, Sendable {
        /// How many changes were planned ahead.
        var planned = 0

        /// How many of these have arrived.
        var plannedSeen = 0

        /// The number of pushes with the content of an earlier push.
        var duplicates = 0

        /// The differences from the expected result, in words.
        var faults: [String] = []
    }

    private(set) var changes: [Change] = []

    mutating func expect(_ title: String, isPlanned: Bool = false, _ push: Push) {
        self.changes.append(Change(title: title, isPlanned: isPlanned, push: push))
    }

    /// Compares the changes with all pushes that the devices received.
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
            verdict.faults.append(
                "\(count) pushes of the event '\(push.event)' were received that the server did not "
                    + "send"
            )
        }
        return verdict
    }
}

extension DemoDeliveryCheck.Push {
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
