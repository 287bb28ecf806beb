// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

/// A table of a document that is made from the code.
enum DocumentTable {
    /// Compares the rows of the table below a header; writes them instead where `APUS_UPDATE_GENERATED` is `1`.
    static func expect(
        _ rows: [String],
        below header: String,
        in path: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent(path)
        var lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: header), sourceLocation: sourceLocation) + 2
        let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        if ProcessInfo.processInfo.environment["APUS_UPDATE_GENERATED"] == "1" {
            lines.replaceSubrange(start..<end, with: rows)
            try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(
                Array(lines[start..<end]) == rows,
                "run with APUS_UPDATE_GENERATED=1",
                sourceLocation: sourceLocation
            )
        }
    }
}
