// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@Suite("The listings of documents", .timeLimit(.minutes(20)))
struct ListingTests {
    @Test("are told from prose, and refused when they are not those that are known")
    func extraction() async throws {
        try await withTemporaryDirectory { directory in
            let script = PythonEnvironment.file("Tests/EndToEndTests/PythonClients/Scripts/test_listings.py")
            let lines = try await PythonEnvironment.run(
                ["-m", "pytest", "-q", "-p", "no:cacheprovider", script],
                environment: ["APUS_ROOT": PythonEnvironment.file("")],
                in: directory
            )
            #expect(lines.last?.hasPrefix("5 passed") == true, "\(lines.joined(separator: "\n"))")
        }
    }
}
