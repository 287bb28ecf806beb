// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Writes the Swift file by which the server carries its document, from `docs/openapi.yaml`.
enum OpenAPISource {
    private static let path = "Sources/PushAPI/Generated/OpenAPIDocument.swift"

    static func write(_ yaml: String) throws {
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "        \($0)" }
            .joined(separator: "\n")
        let source = """
            // SPDX-License-Identifier: Apache-2.0
            // Copyright 2026 the Apus authors

            // Made from docs/openapi.yaml by the tests of this target, run with APUS_UPDATE_GENERATED=1.

            /// The API's own description, as it is served at `/openapi.yaml`.
            enum OpenAPIDocument {
                /// The document (OpenAPI 3.1).
                static let yaml = ##\"""
            \(lines)
                    \"""##
            }

            """
        try ProjectFiles.write(source, to: self.path)
    }
}
