// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@Suite("The page of the console", .timeLimit(.minutes(15)))
struct ConsolePageTests {
    @Test("Shows and changes campaigns, devices and Live Activities in Chromium, and axe finds no fault")
    func chromium() async throws {
        try await withTemporaryDirectory { directory in
            let page = PythonEnvironment.file("Tests/Browser/console.py")
            let lines = try await PythonEnvironment.run([page, BuiltExecutable.path], in: directory)
            #expect(lines.last?.hasSuffix(" checks passed") == true, "\(lines.joined(separator: "\n"))")
        }
    }
}
