// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List and export the audit log: every change of the configuration and of rights.",
        subcommands: [AuditListCommand.self, AuditExportCommand.self]
    )
}

/// Which entries of the audit log are read.
struct AuditFilterArguments: ParsableArguments {
    @Option(help: "Bundle ID of an app. Default: changes of all apps, and of no app.")
    var app: String?

    @Option(help: "ID of an API key, or name of a user of the machine.")
    var actor: String?

    @Option(help: "Action such as api_key.created, or kind of resource such as api_key.")
    var action: String?

    @Option(help: "ID of the changed resource.")
    var resource: String?

    @Option(help: "First time, such as 2026-02-03T00:00:00Z.")
    var from: String?

    @Option(help: "Time after the last entry.")
    var until: String?

    /// The path of the list, with its filters.
    var path: String {
        let filters = [
            ("app", self.app), ("actor", self.actor), ("action", self.action), ("resource", self.resource),
            ("from", self.from), ("until", self.until),
        ].compactMap { name, value in value.map { "\(name)=\($0.asPathSegment)" } }
        return "/v1/audit-log" + (filters.isEmpty ? "" : "?\(filters.joined(separator: "&"))")
    }
}

struct AuditListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List changes, the latest first; with --json one object a line."
    )

    @OptionGroup var filter: AuditFilterArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        let heading = ["TIME", "ACTOR", "FROM", "ACTION", "RESOURCE", "APP"]
        try await self.server.list(self.filter.path, heading, printable: true) { (entry: AuditEntryAnswer) in
            [
                entry.time, entry.actor.label, entry.address ?? "-", entry.action, entry.resource, entry.app ?? "-",
            ]
        }
    }
}

struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all changes with their states before and after, one JSON object a line, the latest first."
    )

    @OptionGroup var filter: AuditFilterArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        try await self.server.client().writeEach(of: self.filter.path)
    }
}

/// An entry of the audit log, as the API returns it.
struct AuditEntryAnswer: Decodable {
    struct Actor: Decodable {
        let type: String
        let id: String?
        let name: String?

        var label: String {
            switch self.type {
            case "command_line": "cli:\(self.id ?? "")"
            case "server": "server"
            default: [self.id, self.name.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
            }
        }
    }

    let time: String
    let actor: Actor
    let address: String?
    let action: String
    let resource: String
    let app: String?
}
