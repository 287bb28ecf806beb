// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

@testable import apus

/// A command that was run to its end.
struct CommandRun {
    let status: Int32

    /// The lines of its standard output.
    let lines: [String]

    /// What it wrote to its standard error.
    let errors: String

    /// Runs `apus` with arguments and waits for its end.
    ///
    /// - Parameters:
    ///   - arguments: what follows `apus`.
    ///   - environment: added to the environment of the tests.
    ///   - directory: where the log of its standard error is put.
    init(_ arguments: String..., environment: [String: String] = [:], in directory: String) async throws {
        let log = "\(directory)/\(UInt64.random(in: .min ... .max)).log"
        let child = try ChildProcess(
            executable: BuiltExecutable.path,
            arguments: arguments,
            environment: environment,
            log: log
        )
        var lines: [String] = []
        while let line = await child.nextLine() { lines.append(line) }
        self.lines = lines
        self.status = await child.exitStatus()
        self.errors = try String(contentsOfFile: log, encoding: .utf8)
    }

    /// The last line of standard output as JSON.
    func lastLine<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSON.decoder.decode(type, from: Data((self.lines.last ?? "").utf8))
    }
}
