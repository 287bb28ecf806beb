// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Lists the API keys.
struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys, without their secrets; with --json one object a line."
    )

    @OptionGroup var place: KeyPlaceArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        var table = TextTable(heading: "KEY", "NAME", "SCOPES", "APP", "CREATED", "STATUS")
        try await self.place.withKeyBook { book in
            try await book.each { key in
                if self.output.json { return try Console.json(key) }
                let status = key.revokedAt.map { "revoked \($0)" } ?? key.expiresAt.map { "expires \($0)" } ?? "good"
                table.add(key.id, key.name, key.scopes.joined(separator: ","), key.app ?? "all", key.createdAt, status)
            }
        }
        if !self.output.json { table.lines.forEach(Console.out) }
    }
}
