// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Writes the Swift files by which the server carries its document, from `docs/openapi.yaml`.
///
/// The document is cut into parts, so that no file has more than 400 lines.
enum OpenAPISource {
    private static let folder = "Sources/PushAPI/Generated"
    private static let linesOfPart = 350

    private static let header = """
        // SPDX-License-Identifier: Apache-2.0
        // Copyright 2026 the Apus authors

        // Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.


        """

    /// The files by their paths in the project.
    static func files(_ yaml: String) -> [String: String] {
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        let parts = stride(from: 0, to: lines.count, by: self.linesOfPart).map { start in
            Array(lines[start..<min(start + self.linesOfPart, lines.count)])
        }
        let names = stride(from: 0, to: parts.count, by: 10).map { start in
            let part = (start..<min(start + 10, parts.count)).map { "part\($0 + 1)" }
            return "        " + part.joined(separator: ", ") + ","
        }.joined(separator: "\n")
        let main = """
            /// The API's own description, as it is served at `/openapi.yaml`.
            enum OpenAPIDocument {
                /// The document (OpenAPI 3.1).
                static let yaml = [
            \(names)
                ].joined()
            }

            """
        var files = ["\(self.folder)/OpenAPIDocument.swift": self.header + main]
        for (index, part) in parts.enumerated() {
            files["\(self.folder)/OpenAPIDocument+Part\(index + 1).swift"] = self.header + self.source(part, index + 1)
        }
        return files
    }

    /// Whether the files are there as they have to be, and no other ones beside them.
    static func isCurrent(_ yaml: String) -> Bool {
        let files = self.files(yaml)
        let present = (try? FileManager.default.contentsOfDirectory(atPath: ProjectFiles.url(self.folder).path())) ?? []
        return Set(present.map { "\(self.folder)/\($0)" }) == Set(files.keys)
            && files.allSatisfy { ProjectFiles.read($0.key) == $0.value }
    }

    /// Writes the files and removes those of before.
    static func write(_ yaml: String) throws {
        try? FileManager.default.removeItem(at: ProjectFiles.url(self.folder))
        try FileManager.default.createDirectory(at: ProjectFiles.url(self.folder), withIntermediateDirectories: true)
        for (path, text) in self.files(yaml) { try ProjectFiles.write(text, to: path) }
    }

    private static func source(_ lines: [String], _ number: Int) -> String {
        let text = lines.map { $0.isEmpty ? "" : "        \($0)" }.joined(separator: "\n")
        return """
            extension OpenAPIDocument {
                static let part\(number) = ##\"""
            \(text)

                    \"""##
            }

            """
    }
}
