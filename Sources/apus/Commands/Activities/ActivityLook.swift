// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// What one look at an activity found.
struct ActivityLook {
    /// The answers as they came, for programs.
    let activity: JSONValue
    let transitions: JSONValue
    let entries: [JSONValue]

    let told: ActivityAnswer
    let planned: [TransitionAnswer]

    /// The last entries of the timeline.
    let last: [TimelineAnswer]

    /// How many entries of the timeline are looked at each time.
    static let window = 20

    /// Looks at an activity.
    ///
    /// - Parameters:
    ///   - client: whom to ask.
    ///   - path: the path of the activity.
    ///   - former: what was found before; it says where the timeline is to be read on.
    /// - Throws: ``CommandFailure``.
    init(_ client: APIClient, _ path: String, after former: ActivityLook?) async throws {
        // The activity first: what the timeline tells later of its end is not missed.
        let activity = try await client.call(.get, "\(path)?phones=true")
        let transitions = try await client.call(.get, "\(path)/transitions")
        var entries: [JSONValue] = []
        var after = former?.last.last.map { max(0, $0.sequence - Self.window) }
        while true {
            let query = after.map { "&after=\($0)" } ?? ""
            let page = try await client.call(.get, "\(path)/timeline?limit=1000\(query)")
                .decoded(as: APIPage<JSONValue>.self)
            entries = Array((entries + page.elements).suffix(Self.window))
            guard let next = page.next.flatMap(Int.init) else { break }
            after = next
        }
        self.activity = try activity.decoded()
        self.transitions = try transitions.decoded(as: [String: JSONValue].self)["transitions"] ?? []
        self.entries = entries
        self.told = try activity.decoded()
        self.planned = try transitions.decoded(as: APIPage<TransitionAnswer>.self).elements
            .filter { $0.state == "planned" }
            .sorted { ($0.dueAt ?? "~", $0.id) < ($1.dueAt ?? "~", $1.id) }
        self.last = try entries.map(TimelineAnswer.init)
    }

    /// Whether the pushes of its last entries have their outcomes.
    var isSettled: Bool { self.last.allSatisfy(\.isSettled) }
}

extension ActivityLook {
    /// What people see on a terminal.
    ///
    /// - Parameters:
    ///   - now: the time, in seconds since 1970.
    ///   - style: how words are emphasised.
    ///   - rows: how many of the last changes are shown at most.
    /// - Returns: the lines, of which none has a control character but those of the style.
    func lines(now: Double, style: Style, rows: Int) -> [String] {
        var lines = [
            "\(style.bold(self.told.id.printable))  \(self.told.attributesType)  "
                + "\(self.told.isOver ? style.dim(self.told.state) : style.green(self.told.state))  "
                + "version \(self.told.version)",
            "phones   \(self.told.phones?.summary ?? "-")",
            "state    \(self.told.stateText.printable)",
        ]
        // Those that run, and else the last one.
        let rollouts = self.told.rollouts ?? []
        let running = rollouts.filter { !$0.isOver }
        for rollout in running.isEmpty ? rollouts.suffix(1) : running[...] {
            lines.append("rollout  \(rollout.summary.printable)")
        }
        if let staleDate = self.told.staleDate {
            lines.append("stale    \(staleDate)\(Self.distance(to: staleDate, now))")
        }
        for (name, time) in self.told.instants.sorted(by: { $0.key < $1.key }) {
            lines.append("instant  \(name.printable) \(time)\(Self.distance(to: time, now))")
        }
        for transition in self.planned {
            let due = transition.dueAt.map { "\($0)\(Self.distance(to: $0, now))" } ?? "when its instant is told"
            lines.append("planned  \(style.cyan(transition.id.printable)) \(due)")
        }
        lines += self.last.suffix(max(0, rows)).map { style.dim("\($0.time)") + "  \($0.summary.printable)" }
        return lines
    }

    private static let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }

    /// How far a time lies ahead, in words; empty for one that cannot be read.
    private static func distance(to text: String, _ now: Double) -> String {
        let time = Self.styles.lazy.compactMap { try? Date(text, strategy: $0) }.first
        guard let time else { return "" }
        let seconds = Int((time.timeIntervalSince1970 - now).rounded())
        let (hours, minutes, rest) = (abs(seconds) / 3600, abs(seconds) / 60 % 60, abs(seconds) % 60)
        let text = hours > 0 ? "\(hours) h \(minutes) min" : minutes > 0 ? "\(minutes) min \(rest) s" : "\(rest) s"
        return seconds >= 0 ? " (in \(text))" : " (\(text) ago)"
    }
}
