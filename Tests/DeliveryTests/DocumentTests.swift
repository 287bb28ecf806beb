// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@Suite("Documents about behavior")
struct DocumentTests {
    @Test("name tests that there are", arguments: [("delivery.md", ""), ("security.md", "## How it is tested")])
    func names(_ name: String, below heading: String) throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let whole = try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
        let document = whole[(whole.firstRange(of: heading)?.lowerBound ?? whole.startIndex)...]
            .replacing("\n", with: " ")
        let pattern = try Regex(#"\*([^*|]+)\*"#)
        let named = document.matches(of: pattern).compactMap { $0.output[1].substring.map(String.init) }
            .filter { $0.contains(" ") }
        #expect(named.count > 10)
        let sources = try Self.sources(below: root.appending(path: "Tests"))
        for name in Set(named) {
            let beginning = name.hasSuffix("…") ? String(name.dropLast()) : name
            let isThere = sources.contains("\"" + beginning.trimmingCharacters(in: [" "]))
            #expect(isThere, "\(name)")
        }
    }

    /// All Swift files below a directory, one after the other.
    private static func sources(below directory: URL) throws -> String {
        let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
        var text = ""
        while let file = files?.nextObject() as? URL {
            if file.pathExtension == "swift" { text += try String(contentsOf: file, encoding: .utf8) }
        }
        return text
    }
}
