// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct ActivityWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a Live Activity until it ends: a view on a terminal, lines elsewhere.",
        discussion: """
            Shows the state, the participants, the latest content state, the scheduled transitions and the latest \
            changes. The command ends when the activity has ended and its last pushes have their outcomes, or with \
            Ctrl-C. With --json, each response with a change is a line. The command reconnects after a restart of the \
            server.
            """
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "Seconds between two requests, 1 to 60.")
    var interval = 1

    @OptionGroup var server: ServerArguments

    func validate() throws {
        guard (1...60).contains(self.interval) else {
            throw ValidationError("--interval: expected a number from 1 to 60.")
        }
    }

    func run() async throws {
        let watch = ActivityWatch(
            client: try self.server.client(),
            path: self.activity.path,
            interval: .seconds(self.interval),
            asJSON: self.server.json
        )
        try await watch.run()
    }
}

/// Shows the state of an activity until it ends.
struct ActivityWatch: Sendable {
    /// The maximum number of requests after the end, until the last pushes have their outcomes.
    private static let looksAtTheEnd = 10

    let client: APIClient
    let path: String

    /// The time between two requests.
    let interval: Duration

    /// Whether each response with a change is a line of JSON.
    let asJSON: Bool

    /// Watches until the activity ends.
    ///
    /// - Throws: ``CommandError`` if the first request fails, or the server rejects a later one; later requests
    ///   without a response are retried.
    func run() async throws {
        let view = TerminalView.standardOutput()
        var former: ActivityLook?
        var looksLeft = Self.looksAtTheEnd
        var isReachable = true
        while true {
            do {
                let look = try await ActivityLook(self.client, self.path, after: former)
                isReachable = true
                try self.show(look, after: former, on: view)
                former = look
                if look.told.isOver {
                    looksLeft -= 1
                    if look.isSettled || looksLeft == 0 { return }
                }
            } catch let failure as CommandError where failure.code == "unreachable" && former != nil {
                if isReachable { Console.note("apus: \(failure.message)") }
                isReachable = false
                view.forget()
            }
            try await Task.sleep(for: self.interval)
        }
    }

    private func show(_ look: ActivityLook, after former: ActivityLook?, on view: TerminalView) throws {
        if self.asJSON {
            let known = Set(former?.entries ?? [])
            let entries = look.entries.filter { !known.contains($0) }
            let isSame = former?.activity == look.activity && former?.transitions == look.transitions
            guard !isSame || !entries.isEmpty else { return }
            let line: JSONValue = [
                "activity": look.activity, "transitions": look.transitions, "entries": .array(entries),
            ]
            Console.out(String(decoding: try line.json(), as: UTF8.self))
        } else if view.isTerminal {
            let fixed = look.lines(now: 0, style: .standardOutput(), rows: 0).count
            let lines = look.lines(
                now: Date().timeIntervalSince1970,
                style: .standardOutput(),
                rows: view.height - fixed - 1
            )
            view.show(lines)
        } else {
            let told = look.told.summary
            if former?.told.summary != told { Console.out(told.printable) }
            for entry in look.last where !(former?.last ?? []).contains(where: { $0.tellsTheSame(as: entry) }) {
                Console.out("\(entry.time)  \(entry.summary)".printable)
            }
        }
    }
}

/// The result of one poll of an activity.
struct ActivityLook {
    /// The responses as JSON, for programs.
    let activity: JSONValue
    let transitions: JSONValue
    let entries: [JSONValue]
    let told: ActivityResponse
    let scheduled: [TransitionResponse]

    /// The last entries of the timeline.
    let last: [TimelineEntryResponse]

    /// The maximum number of timeline entries per poll.
    static let window = 20

    /// Reads an activity, and its timeline after the last entries of `former`.
    ///
    /// - Throws: ``CommandError``.
    init(_ client: APIClient, _ path: String, after former: ActivityLook?) async throws {
        // Read the activity first, so that a later end is in the timeline.
        let activity = try await client.call(.get, "\(path)?include=participantCounts")
        let transitions = try await client.call(.get, "\(path)/transitions")
        var entries: [JSONValue] = []
        var after = former?.last.last.map { max($0.sequence, Self.window) - Self.window }
        while true {
            let query = after.map { "&cursor=\($0)" } ?? ""
            let page = try await client.call(.get, "\(path)/timeline?limit=1000\(query)")
                .decoded(as: APIPage<JSONValue>.self)
            entries = Array((entries + page.elements).suffix(Self.window))
            guard let next = page.nextCursor.flatMap({ Int($0) }), next > after ?? .min else { break }
            after = next
        }
        self.activity = try activity.decoded()
        self.transitions = try transitions.decoded(as: [String: JSONValue].self)["transitions"] ?? []
        self.entries = entries
        self.told = try activity.decoded()
        self.scheduled = try transitions.decoded(as: APIPage<TransitionResponse>.self).elements
            .filter { $0.state == "scheduled" }
            .sorted { ($0.dueAt ?? "~", $0.id) < ($1.dueAt ?? "~", $1.id) }
        self.last = try entries.map(TimelineEntryResponse.init)
    }

    /// Whether the pushes of its last entries have their outcomes.
    var isSettled: Bool { self.last.allSatisfy(\.isSettled) }
}

extension ActivityLook {
    /// Returns the lines for a terminal, with at most `rows` of the latest changes.
    ///
    /// `now` is in seconds since 1970.
    ///
    /// - Returns: the lines, without control characters except those of the style.
    func lines(now: Double, style: TerminalStyle, rows: Int) -> [String] {
        var lines = [
            "\(style.bold(self.told.id.printable))  \(self.told.attributesType)  "
                + "\(self.told.isOver ? style.dim(self.told.state) : style.green(self.told.state))  "
                + "version \(self.told.version)",
            "devices  \(self.told.participantCounts?.summary ?? "-")",
            "state    \(self.told.stateText.printable)",
        ]
        // The running rollouts, or the last one.
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
        for transition in self.scheduled {
            let due = transition.dueAt.map { "\($0)\(Self.distance(to: $0, now))" } ?? "when its instant is set"
            lines.append("due      \(style.cyan(transition.id.printable)) \(due)")
        }
        lines += self.last.suffix(max(0, rows)).map { style.dim("\($0.time)") + "  \($0.summary.printable)" }
        return lines
    }

    private static let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }

    /// Returns the time until `text`, in words; an empty string for an invalid time.
    private static func distance(to text: String, _ now: Double) -> String {
        let time = Self.styles.lazy.compactMap { try? Date(text, strategy: $0) }.first
        guard let time else { return "" }
        let seconds = Int(clamping: (time.timeIntervalSince1970 - now).rounded())
        let length = seconds.magnitude
        let (hours, minutes, rest) = (length / 3600, length / 60 % 60, length % 60)
        let text = hours > 0 ? "\(hours) h \(minutes) min" : minutes > 0 ? "\(minutes) min \(rest) s" : "\(rest) s"
        return seconds >= 0 ? " (in \(text))" : " (\(text) ago)"
    }
}
