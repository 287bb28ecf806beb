// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// The Python environment with the clients from PyPI that dev/lib/requirements names.
///
/// `dev/setup test` makes it in .build/python, once; here it is asked for the first time that a test needs it, so that
/// the tests hold however they are started. Where it cannot be made, the tests fail with its words.
enum PythonEnvironment {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let preparation = Task<Void, any Error> {
        try await withTemporaryDirectory { directory in
            let setup = try ChildProcess(
                executable: Self.root.appendingPathComponent("dev/setup").path,
                arguments: ["test"],
                log: "\(directory)/log"
            )
            while await setup.nextLine() != nil {}
            let status = await setup.end()
            guard status == 0 else {
                throw CommandError("python", "dev/setup test ended with status \(status):\n\(setup.logEnd)")
            }
        }
    }

    /// A file of the repository.
    static func file(_ path: String) -> String { Self.root.appendingPathComponent(path).path }

    /// Starts Python with the environment's packages.
    static func start(
        _ arguments: [String],
        environment: [String: String] = [:],
        in directory: String
    ) async throws -> ChildProcess {
        try await Self.preparation.value
        return try ChildProcess(
            executable: Self.file(".build/python/bin/python3"),
            arguments: ["-B"] + arguments,
            environment: environment.merging(["PYTHONUTF8": "1"]) { $1 },
            log: "\(directory)/python-\(UInt64.random(in: .min ... .max)).log"
        )
    }

    /// Runs Python with the environment's packages, and waits for its end.
    ///
    /// - Throws: ``CommandError`` with the end of what it wrote to its standard error, unless it ends with status 0.
    /// - Returns: the lines of its standard output.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        in directory: String
    ) async throws -> [String] {
        let python = try await Self.start(arguments, environment: environment, in: directory)
        var lines: [String] = []
        while let line = await python.nextLine() { lines.append(line) }
        let status = await python.end()
        guard status == 0 else {
            let output = lines.suffix(40).joined(separator: "\n")
            throw CommandError("python", "Python ended with status \(status):\n\(output)\n\(python.logEnd)")
        }
        return lines
    }
}
