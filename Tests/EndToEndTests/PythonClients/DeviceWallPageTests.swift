// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@Suite("The page of the device wall", .timeLimit(.minutes(15)))
struct DeviceWallPageTests {
    @Test("Shows every push and every change in Chromium, and axe finds no fault")
    func chromium() async throws {
        try await withTemporaryDirectory { directory in
            let page = PythonEnvironment.file("Tests/Browser/wall.py")
            let lines = try await PythonEnvironment.run([page, BuiltExecutable.path], in: directory)
            #expect(lines.last?.hasSuffix(" checks passed") == true, "\(lines.joined(separator: "\n"))")
        }
    }
}
