// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Spawn
import Testing

/// The Python environment with the packages that dev/lib/requirements names, botocore among them.
///
/// `dev/setup test` makes it in .build/python, at once where nothing is missing.
enum PythonEnvironment {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = Self.directory.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let preparation = Task<Int32, any Error> {
        try await SpawnedProcess.run(Self.root.appendingPathComponent("dev/setup").path, ["test"]).status
    }

    /// Runs a script that stands beside this file, and waits for its end.
    ///
    /// - Returns: what it wrote to its standard output.
    static func run(_ script: String, _ arguments: [String]) async throws -> Data {
        #expect(try await Self.preparation.value == 0, "dev/setup test failed")
        let python = Self.root.appendingPathComponent(".build/python/bin/python3").path
        let file = Self.directory.appendingPathComponent(script).path
        let (status, output) = try await SpawnedProcess.run(python, ["-B", file] + arguments)
        #expect(status == 0, "\(script) ended with status \(status)")
        return output
    }
}
