// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Testing

/// A process that answers commands of `apus` as a test says, in the place of a server.
struct ScriptedServer: Sendable {
    let directory: String
    private let process: ChildProcess

    /// Where it is.
    let url: String

    /// By which commands find it.
    var environment: [String: String] { ["APUS_URL": self.url, "APUS_API_KEY": "apus_x"] }

    /// Runs a test with a server that has these answers in JSON, each for paths with this beginning.
    static func with(_ answers: [String: String], _ body: (ScriptedServer) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let script = "Tests/EndToEndTests/PythonClients/Scripts/scripted_server.py"
            let process = try await PythonEnvironment.start(
                [PythonEnvironment.file(script), String(decoding: try JSON.encoder.encode(answers), as: UTF8.self)],
                in: directory
            )
            let port = try #require(await process.nextLine(), "\(process.logEnd)")
            let server = ScriptedServer(directory: directory, process: process, url: "http://127.0.0.1:\(port)")
            do {
                try await body(server)
            } catch {
                process.kill()
                throw error
            }
            #expect(await process.stop() == 0, "\(process.logEnd)")
        }
    }

    /// The path of the next request.
    func nextPath() async -> String? { await self.process.nextLine() }
}
