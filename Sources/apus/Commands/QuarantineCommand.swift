// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "List, repeat and remove quarantined work: three claims in a row were interrupted, or its row is "
            + "corrupt.",
        subcommands: [
            QuarantineListCommand.self, QuarantineRepeatCommand.self, QuarantineRemoveCommand.self,
        ]
    )
}

struct QuarantineListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the quarantined items, the latest first; with --json one object a line."
    )

    @Option(help: "Bundle ID of an app. Default: the items of all apps, and of no app.")
    var app: String?

    @Option(help: "Type of the items, such as campaign. Default: all types.")
    var type: String?

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let filters = [("app", self.app), ("type", self.type)].compactMap { name, value in
            value.map { "\(name)=\($0.asPathSegment)" }
        }
        let path = "/v1/quarantine" + (filters.isEmpty ? "" : "?\(filters.joined(separator: "&"))")
        let heading = ["NUMBER", "TYPE", "ITEM", "APP", "REASON", "SINCE"]
        try await self.server.list(path, heading, printable: true) { (item: QuarantinedItemAnswer) in
            ["\(item.number)", item.type, item.item, item.app ?? "-", item.reason, item.time]
        }
    }
}

struct QuarantineRepeatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repeat",
        abstract: "Let processes claim a quarantined item again."
    )

    @Argument(help: "The number of the item, as `apus quarantine list` shows it.")
    var number: Int64

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let answer = try await self.server.client().call(.post, "/v1/quarantine/\(self.number):repeat")
        if self.server.json { return Console.out(answer.text) }
        let item = try answer.decoded(as: QuarantinedItemAnswer.self)
        Console.out("Repeating \(item.type) \(item.item).".printable)
        if item.type == "job_run" { Console.note("The run has failed. Start another one with `apus jobs run`.") }
    }
}

struct QuarantineRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an item from the list without repeating it; cancels a campaign."
    )

    @Argument(help: "The number of the item, as `apus quarantine list` shows it.")
    var number: Int64

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/quarantine/\(self.number)"
        try await self.server.delete(path, result: ["removed": self.number], words: "Removed \(self.number).")
    }
}

/// A quarantined item, as the API returns it.
struct QuarantinedItemAnswer: Decodable {
    let number: Int64
    let type: String
    let item: String
    let app: String?
    let reason: String
    let time: String
}
