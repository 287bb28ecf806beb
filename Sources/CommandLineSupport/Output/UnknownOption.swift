// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// An option on the command line that the command does not have, usually a misspelt one.
///
/// ArgumentParser reports missing and contradictory values first. A misspelt option often causes these errors, so
/// ``CommandEntry`` reports the option instead.
struct UnknownOption {
    /// The option with its dashes: `--titel`.
    let option: String

    /// The most similar option of the command, with its dashes; `nil` if none is similar.
    let suggestion: String?

    /// Finds the first unknown long option in the arguments of a command; `nil` if the command has all of them.
    init?(in arguments: some Sequence<String>, of root: (some ParsableCommand).Type) {
        guard let tool = try? JSON.decoder.decode(Tool.self, from: Data(root._dumpHelp().utf8)) else { return nil }
        var command = tool.command
        var options = Self.builtIn.merging(command.options) { $1 }
        var followsOption = false
        for argument in arguments {
            if argument == "--" { return nil }
            guard argument.hasPrefix("--") else {
                if !followsOption, let subcommand = command.subcommand(argument) {
                    command = subcommand
                    options.merge(command.options) { $1 }
                }
                followsOption = false
                continue
            }
            let option = String(argument.prefix { $0 != "=" })
            guard let takesValue = options[option] else {
                self.option = option
                self.suggestion = Self.suggestion(for: option, among: options.keys.sorted())
                return
            }
            followsOption = takesValue && option == argument
        }
        return nil
    }

    var message: String {
        "Unknown option '\(self.option)'." + (self.suggestion.map { " Did you mean '\($0)'?" } ?? "")
    }

    /// The options of ArgumentParser that its description of a command does not list.
    private static let builtIn = [
        "--help": false, "--help-hidden": false, "--version": false, "--generate-completion-script": false,
        "--experimental-dump-help": false,
    ]

    /// Returns the option with the fewest edits: at most 3, and fewer than half of the letters.
    private static func suggestion(for option: String, among known: [String]) -> String? {
        let limit = min(3, (option.count - 3) / 2)
        return known.map { (name: $0, edits: option.editDistance(to: $0)) }
            .filter { $0.edits <= limit }
            .min { $0.edits < $1.edits }?
            .name
    }
}

extension UnknownOption {
    /// The description of all commands that ArgumentParser writes as JSON; its other members are not needed.
    private struct Tool: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let defaultSubcommand: String?
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// The long options with their dashes, also those of the default subcommand, and whether each takes a value.
        var options: [String: Bool] {
            let inherited = self.defaultSubcommand.flatMap(self.subcommand)?.options ?? [:]
            return (self.arguments ?? []).reduce(into: inherited) { options, argument in
                for name in argument.names ?? [] where name.kind == "long" {
                    options["--\(name.name)"] = argument.kind == "option"
                }
            }
        }

        func subcommand(_ name: String) -> Command? { self.subcommands?.first { $0.commandName == name } }
    }

    private struct Argument: Decodable {
        let kind: String
        let names: [Name]?
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }
}

extension String {
    /// The minimum number of inserted, removed and replaced characters between this text and another one.
    fileprivate func editDistance(to other: String) -> Int {
        let columns = Array(other)
        var row = Array(0...columns.count)
        for (index, character) in self.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, candidate) in columns.enumerated() {
                let replaced = diagonal + (character == candidate ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[columns.count]
    }
}
