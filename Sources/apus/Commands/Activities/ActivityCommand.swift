// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct ActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Start, update, end and watch Live Activities, and show their timelines.",
        subcommands: [
            ActivityStartCommand.self, ActivityUpdateCommand.self, ActivityEndCommand.self, ActivityWatchCommand.self,
            ActivityTimelineCommand.self,
        ]
    )
}

/// The activity that a command works on.
struct ActivityArguments: ParsableArguments {
    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Name of the activity.")
    var activity: String

    /// The path of the app's activities.
    var list: String { "/v1/apps/\(self.app.asPathSegment)/activities" }

    var path: String { "\(self.list)/\(self.activity.asPathSegment)" }
}

/// The options of a request that changes an activity.
struct ActivityCallArguments: ParsableArguments {
    @Flag(help: "Wait for the outcomes of the pushes; the exit status is 0 only if APNs accepted all of them.")
    var wait = false

    @Option(help: "Idempotency key: repetitions with the same key within 24 hours have no further effect.")
    var idempotencyKey: String?

    @OptionGroup var server: ServerArguments

    /// Sends the request, and prints the result.
    ///
    /// - Throws: ``CommandError``; `ExitCode.failure` if it waited and APNs did not accept every push.
    func make(_ method: HTTPVerb, _ path: String, body: Data) async throws {
        let answer = try await self.server.client().call(
            method,
            self.wait ? "\(path)\(path.contains("?") ? "&" : "?")wait=true" : path,
            body: body,
            headers: self.idempotencyKey.map { ["Idempotency-Key": $0] } ?? [:]
        )
        let receipt = try answer.decoded(as: ActivityUpdateResponse.self)
        if self.server.json { Console.out(answer.text) } else { receipt.report() }
        guard self.wait, receipt.sent > 0, receipt.dryRun != true else { return }
        guard let outcome = receipt.outcome else {
            Console.note("Some pushes have no outcome yet; the server continues.")
            throw ExitCode.failure
        }
        if outcome.counts.delivered < outcome.targetCount { throw ExitCode.failure }
    }
}

struct ActivityTimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Show the timeline of a Live Activity, the latest entry last; with --json one object per line."
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "Maximum number of the latest entries. Default: all stored entries, at most 1000.")
    var limit: Int?

    @OptionGroup var server: ServerArguments

    func validate() throws {
        guard (1...1000).contains(self.limit ?? 1) else {
            throw ValidationError("--limit: expected a number from 1 to 1000.")
        }
    }

    func run() async throws {
        var entries: [JSONValue] = []
        let client = try self.server.client()
        try await client.each(of: "\(self.activity.path)/timeline", as: JSONValue.self) { entries.append($0) }
        entries = Array(entries.suffix(self.limit ?? entries.count))
        if self.server.json { return try entries.forEach(Console.json) }
        var table = TextTable(heading: "TIME", "TYPE", "VERSION", "SENT", "PENDING", "DEVICE", "DETAIL")
        for entry in try entries.map(TimelineEntryResponse.init) {
            table.add(
                entry.time,
                entry.type,
                "\(entry.version)",
                entry.outcomes ?? "-",
                entry.pending > 0 ? "\(entry.pending)" : "-",
                entry.device ?? "-",
                [entry.detail, entry.changesText].compactMap(\.self).joined(separator: "  ")
            )
        }
        table.lines.forEach { Console.out($0.printable) }
    }
}
