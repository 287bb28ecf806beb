// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the configuration of a server.",
        subcommands: [ConfigPrintCommand.self]
    )
}

/// Prints the values that `apus serve` uses with the same flags, environment and file.
struct ConfigPrintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Print every value and its source; secrets are masked.",
        discussion: "Flags override the environment, the environment overrides the file, and the file overrides the "
            + "defaults."
    )

    @OptionGroup var arguments: ConfigurationArguments
    @OptionGroup var output: OutputArguments

    private struct Value: Encodable {
        let value: String?
        let source: String
    }

    func run() async throws {
        let entries = try self.arguments.entries()
        _ = try ServerConfiguration(entries)
        for name in ConfigurationSources.unknownVariables(in: ProcessInfo.processInfo.environment) {
            Console.note("Ignored the unknown variable \(name).")
        }
        if self.output.json {
            let values = entries.map {
                ($0.key.name, Value(value: $0.value == nil ? nil : $0.shown, source: $0.source))
            }
            return try Console.json(Dictionary(uniqueKeysWithValues: values))
        }
        var table = TextTable(heading: "KEY", "VALUE", "FROM")
        for entry in entries { table.add(entry.key.name, entry.shown, entry.source) }
        table.lines.forEach(Console.out)
    }
}
