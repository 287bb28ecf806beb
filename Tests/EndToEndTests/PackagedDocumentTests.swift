// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Spawn
import Testing

@Suite("The documents of the packages", .timeLimit(.minutes(20)))
struct PackagedDocumentTests {
    /// Writes the documents as `dev/package` does.
    private static func withDocuments(_ test: (_ documents: URL, _ install: String) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let script = PythonEnvironment.file("dev/lib/package/documents.py")
            let (documents, install) = ("\(directory)/doc", "\(directory)/INSTALL.md")
            let (status, _) = try await SpawnedProcess.run(
                "/usr/bin/env",
                ["python3", "-B", script, documents, install]
            )
            #expect(status == 0)
            try test(URL(fileURLWithPath: documents), String(contentsOfFile: install, encoding: .utf8))
        }
    }

    /// The targets of the relative links of a document.
    private static func links(in text: String) -> [String] {
        text.matches(of: #/\]\(([^()\s]+)\)/#).map { String($0.output.1) }
            .filter { !$0.hasPrefix("http:") && !$0.hasPrefix("https:") && !$0.hasPrefix("mailto:") }
    }

    @Test("have relative links to packaged files only")
    func links() async throws {
        try await Self.withDocuments { documents, _ in
            let names = try FileManager.default.subpathsOfDirectory(atPath: documents.path)
            var count = 0
            for name in names where name.hasSuffix(".md") {
                let file = documents.appendingPathComponent(name)
                for link in Self.links(in: try String(contentsOf: file, encoding: .utf8)) where !link.hasPrefix("#") {
                    let path = link.prefix { $0 != "#" }
                    #expect(!link.hasPrefix("/"))
                    let target = file.deletingLastPathComponent().appendingPathComponent(String(path)).standardized
                    #expect(target.path.hasPrefix(documents.standardized.path), "\(name): \(link)")
                    #expect(FileManager.default.fileExists(atPath: target.path), "\(name): \(link)")
                    count += 1
                }
            }
            #expect(count > 100)
            for name in ["install.md", "operations/faults.md", "openapi.yaml", "examples/stream.py"] {
                #expect(names.contains(name))
            }
        }
    }

    @Test("have the steps of the first push, and INSTALL.md has no link to another file")
    func install() async throws {
        try await Self.withDocuments { documents, install in
            let file = documents.appendingPathComponent("install.md")
            let packaged = try String(contentsOf: file, encoding: .utf8)
            for text in [packaged, install] {
                #expect(text.contains("[First push](#first-push)"))
                #expect(text.contains("\n## First push\n"))
                #expect(text.contains("apus ready --wait"))
            }
            #expect(packaged.contains("[scaling.md](scaling.md#backup)"))
            #expect(Self.links(in: install).allSatisfy { $0.hasPrefix("#") })
        }
    }
}
