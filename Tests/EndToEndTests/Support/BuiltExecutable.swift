// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The executables that were built together with these tests.
enum BuiltExecutable {
    /// The path of `apus`.
    static let path = Self.find("apus")

    /// The path of `apus-bench`.
    static let bench = Self.find("apus-bench")

    /// Looks beside the test bundle, wherever the runner has put that.
    private static func find(_ name: String) -> String {
        let candidates = ([Bundle.main.executablePath] + CommandLine.arguments).compactMap(\.self)
        for candidate in candidates {
            var directory = URL(fileURLWithPath: candidate).deletingLastPathComponent()
            while directory.path != "/" {
                let executable = directory.appendingPathComponent(name).path
                var isDirectory = ObjCBool(false)
                let exists = FileManager.default.fileExists(atPath: executable, isDirectory: &isDirectory)
                if exists, !isDirectory.boolValue, FileManager.default.isExecutableFile(atPath: executable) {
                    return executable
                }
                directory.deleteLastPathComponent()
            }
        }
        preconditionFailure("no built \(name) beside the test bundle; build the tests with `swift build --build-tests`")
    }
}
