// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Files of the project, found from the place of this one.
enum ProjectFiles {
    /// Whether generated files are to be written instead of compared: the variable `APUS_UPDATE_GENERATED` is `1`.
    static var isUpdating: Bool { ProcessInfo.processInfo.environment["APUS_UPDATE_GENERATED"] == "1" }

    static func url(_ path: String) -> URL {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: path)
    }

    static func read(_ path: String) -> String {
        (try? String(contentsOf: self.url(path), encoding: .utf8)) ?? ""
    }

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: self.url(path))
    }
}
