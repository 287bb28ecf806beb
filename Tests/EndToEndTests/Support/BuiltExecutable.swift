// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The `apus` that was built together with these tests.
enum BuiltExecutable {
    /// Its path: beside the test bundle, wherever the runner has put that.
    static let path: String = {
        let candidates = ([Bundle.main.executablePath] + CommandLine.arguments).compactMap(\.self)
        for candidate in candidates {
            var directory = URL(fileURLWithPath: candidate).deletingLastPathComponent()
            while directory.path != "/" {
                let executable = directory.appendingPathComponent("apus").path
                var isDirectory = ObjCBool(false)
                let exists = FileManager.default.fileExists(atPath: executable, isDirectory: &isDirectory)
                if exists, !isDirectory.boolValue, FileManager.default.isExecutableFile(atPath: executable) {
                    return executable
                }
                directory.deleteLastPathComponent()
            }
        }
        preconditionFailure("no built apus beside the test bundle; build the tests with `swift build --build-tests`")
    }()
}
