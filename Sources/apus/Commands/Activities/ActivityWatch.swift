// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// Shows how an activity fares, until it is over.
struct ActivityWatch: Sendable {
    /// How often is looked again when it is over, until its last pushes have their outcomes.
    private static let looksAtTheEnd = 10

    let client: APIClient

    /// The path of the activity.
    let path: String

    /// How long is waited between two looks.
    let interval: Duration

    /// Whether each look that finds something new is a line of JSON.
    let asJSON: Bool

    /// Looks until the activity is over.
    ///
    /// - Throws: ``CommandFailure`` where the first look fails, and later where the server refuses one; one that it does
    ///   not answer is repeated.
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
            } catch let failure as CommandFailure where failure.code == "unreachable" && former != nil {
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
