// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// Tells what happened to an activity.
struct ActivityTimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Tell what happened to a Live Activity, the latest last; with --json one object a line."
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "How many of the latest entries at most. Default: all that are kept, which are 1000.")
    var limit: Int?

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...1000).contains(self.limit ?? 1) else { throw ValidationError("--limit has to be from 1 to 1000.") }
    }

    func run() async throws {
        var entries: [JSONValue] = []
        let client = try self.server.client()
        try await client.each(of: "\(self.activity.path)/timeline", as: JSONValue.self) { entries.append($0) }
        entries = Array(entries.suffix(self.limit ?? entries.count))
        if self.output.json { return try entries.forEach(Console.json) }
        var table = TextTable(heading: "TIME", "WHAT", "VERSION", "SENT", "WAITING", "PHONE", "WHAT THERE IS TO SAY")
        for entry in try entries.map(TimelineAnswer.init) {
            table.add(
                entry.time,
                entry.kind,
                "\(entry.version)",
                entry.outcomes ?? "-",
                entry.waiting > 0 ? "\(entry.waiting)" : "-",
                entry.installation ?? "-",
                [entry.detail, entry.changesText].compactMap(\.self).joined(separator: "  ")
            )
        }
        table.lines.forEach { Console.out($0.printable) }
    }
}
