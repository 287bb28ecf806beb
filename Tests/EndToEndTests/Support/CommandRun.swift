// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// A command that was run to its end.
struct CommandRun {
    let status: Int32

    /// The lines of its standard output.
    let lines: [String]

    /// What it wrote to its standard error.
    let errors: String

    /// Runs `apus`, or another executable, with arguments and waits for its end.
    ///
    /// - Parameters:
    ///   - arguments: what follows the executable.
    ///   - executable: its path.
    ///   - environment: added to the environment of the tests.
    ///   - directory: where the log of its standard error is put.
    init(
        _ arguments: String...,
        of executable: String = BuiltExecutable.path,
        environment: [String: String] = [:],
        in directory: String
    ) async throws {
        try await self.init(arguments, of: executable, environment: environment, in: directory)
    }

    /// Runs `apus`, or another executable, with arguments and waits for its end.
    ///
    /// - Parameters:
    ///   - arguments: what follows the executable.
    ///   - executable: its path.
    ///   - environment: added to the environment of the tests.
    ///   - launcher: a program that runs the command behind its own arguments.
    ///   - directory: where the log of its standard error is put.
    init(
        _ arguments: [String],
        of executable: String = BuiltExecutable.path,
        environment: [String: String] = [:],
        through launcher: [String] = [],
        in directory: String
    ) async throws {
        let command = launcher + [executable] + arguments
        let log = "\(directory)/\(UInt64.random(in: .min ... .max)).log"
        let child = try ChildProcess(
            executable: command[0],
            arguments: Array(command.dropFirst()),
            environment: environment,
            log: log
        )
        var lines: [String] = []
        while let line = await child.nextLine() { lines.append(line) }
        self.lines = lines
        self.status = await child.end()
        self.errors = try String(contentsOfFile: log, encoding: .utf8)
    }

    /// The error that a command with `--json` has ended with.
    var failure: (code: String, message: String)? {
        struct Report: Decodable {
            struct Failure: Decodable {
                let code: String
                let message: String
            }
            let error: Failure
        }
        let report: Report? = try? self.lastLine()
        return report.map { ($0.error.code, $0.error.message) }
    }

    /// The last line of standard output as JSON.
    func lastLine<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSON.decoder.decode(type, from: Data((self.lines.last ?? "").utf8))
    }
}
