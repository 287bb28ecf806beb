// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import StoreTesting
import Testing

@testable import CommandLineSupport

@Suite("The line by which a process says that it is ready", .timeLimit(.minutes(20)))
struct ReadyLineTests {
    @Test("names the data directory where the store is in it", arguments: ["serve", "schedule"])
    func directory(command: String) async throws {
        try await withTemporaryDirectory { directory in
            let line = try await Self.line(command, environment: [:], in: directory)
            #expect(line.contains("store in \(directory)/data"), "\(line)")
        }
    }

    @Test("names host and name of the database where that is the store")
    func database() async throws {
        try await TestPostgresDatabase.withDatabase { database in
            for command in ["serve", "schedule"] {
                try await withTemporaryDirectory { directory in
                    let data = URL(fileURLWithPath: "\(directory)/data")
                    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
                    try MasterKeyFile.make(in: "\(directory)/data")
                    let line = try await Self.line(
                        command,
                        environment: ["APUS_STORE_URL": database.url],
                        in: directory
                    )
                    #expect(line.contains("store in PostgreSQL "), "\(line)")
                    #expect(line.contains("/\(database.name)"), "\(line)")
                    #expect(!line.contains("\(directory)/data"), "\(line)")
                }
            }
        }
    }

    private static func line(
        _ command: String,
        environment: [String: String],
        in directory: String
    ) async throws -> String {
        let process = try ChildProcess(
            executable: BuiltExecutable.path,
            arguments: [command, "--data", "\(directory)/data", "--exit-on-stdin-close"]
                + (command == "serve" ? ["--port", "0", "--with", "none"] : []),
            environment: environment,
            log: "\(directory)/log"
        )
        let line = await process.nextLine()
        #expect(await process.stop() == 0, "\(process.logEnd)")
        return line ?? ""
    }
}
