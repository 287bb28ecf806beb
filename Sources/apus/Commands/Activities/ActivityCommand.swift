// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct ActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Start, change and end Live Activities, watch one, and tell what happened to it.",
        subcommands: [
            ActivityStartCommand.self, ActivityUpdateCommand.self, ActivityEndCommand.self, ActivityWatchCommand.self,
            ActivityTimelineCommand.self,
        ]
    )
}

/// Which activity a command is about.
struct ActivityArguments: ParsableArguments {
    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The activity, by the name that you gave it.")
    var activity: String

    /// The path of the app's activities.
    var list: String { "/v1/apps/\(self.app.asPathSegment)/activities" }

    var path: String { "\(self.list)/\(self.activity.asPathSegment)" }
}

/// How a change of an activity is called for, and told of.
struct ActivityCallArguments: ParsableArguments {
    @Flag(help: "Wait for the outcomes of its pushes; the exit status is 0 only when APNs took all of them.")
    var wait = false

    @Option(help: "A name for the request: repeated within 24 hours with the same name, it is not carried out again.")
    var idempotencyKey: String?

    @OptionGroup var server: ServerArguments

    /// Makes the call and tells what it came to.
    ///
    /// - Throws: ``CommandFailure``; `ExitCode.failure` where it was waited for and APNs has not taken every push.
    func make(_ method: HTTPVerb, _ path: String, body: Data) async throws {
        let answer = try await self.server.client().call(
            method,
            self.wait ? "\(path)\(path.contains("?") ? "&" : "?")wait=true" : path,
            body: body,
            headers: self.idempotencyKey.map { ["Idempotency-Key": $0] } ?? [:]
        )
        let receipt = try answer.decoded(as: ActivityReceiptAnswer.self)
        if self.server.json { Console.out(answer.text) } else { receipt.report() }
        guard self.wait, receipt.sent > 0, receipt.dryRun != true else { return }
        guard let outcome = receipt.outcome else {
            Console.note("No outcome yet for all of its pushes; the server goes on.")
            throw ExitCode.failure
        }
        if outcome.counts.delivered < outcome.targetCount { throw ExitCode.failure }
    }
}

struct ActivityTimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Tell what happened to a Live Activity, the latest last; with --json one object a line."
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "How many of the latest entries at most. Default: all that are kept, which are 1000.")
    var limit: Int?

    @OptionGroup var server: ServerArguments

    func validate() throws {
        guard (1...1000).contains(self.limit ?? 1) else { throw ValidationError("--limit has to be from 1 to 1000.") }
    }

    func run() async throws {
        var entries: [JSONValue] = []
        let client = try self.server.client()
        try await client.each(of: "\(self.activity.path)/timeline", as: JSONValue.self) { entries.append($0) }
        entries = Array(entries.suffix(self.limit ?? entries.count))
        if self.server.json { return try entries.forEach(Console.json) }
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
