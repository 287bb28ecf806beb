// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import Logging
import Testing

@testable import CommandLineSupport

@Suite("A server that cannot start", .timeLimit(.minutes(20)))
struct StartTests {
    /// Runs `apus serve`, which has to end with status 1 before it is ready.
    private func failure(
        _ arguments: [String] = [],
        data: String,
        environment: [String: String] = [:],
        through launcher: [String] = [],
        in directory: String
    ) async throws -> (code: String, message: String)? {
        let run = try await CommandRun(
            ["serve", "--port", "0", "--data", data, "--json"] + arguments,
            environment: environment,
            through: launcher,
            in: directory
        )
        #expect(run.status == 1)
        #expect(run.lines.count == 1)
        return run.failure
    }

    @Test("because its database is corrupt says which file it is and leaves it alone")
    func corrupt() async throws {
        try await withTemporaryDirectory { directory in
            let file = URL(fileURLWithPath: "\(directory)/apus.db")
            let content = Data(repeating: 0x41, count: 8192)
            try content.write(to: file)
            let failure = try await failure(data: directory, in: directory)
            #expect(failure?.code == "store_corrupt")
            #expect(failure?.message.hasPrefix(file.path) == true)
            #expect(try Data(contentsOf: file) == content)
        }
    }

    @Test("because another process keeps its database locked says so")
    func locked() async throws {
        try await withTemporaryDirectory { directory in
            let intruder = try Intruder(path: "\(directory)/apus.db")
            try await intruder.execute("BEGIN EXCLUSIVE")
            let failure = try await failure(data: directory, in: directory)
            #expect(failure?.code == "store_locked")
            #expect(failure?.message.contains("\(directory)/apus.db") == true)
            try await intruder.execute("ROLLBACK")
        }
    }

    @Test("because it may not write its database says what it needs")
    func readOnly() async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            try await LocalStore.open(data) { _ in }
            let files = FileManager.default
            try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: "\(data)/apus.db")
            let failure = try await failure(data: data, through: Launcher.heedingPermissions, in: directory)
            #expect(failure?.code == "store_readOnly")
            #expect(failure?.message.contains("write access") == true)
        }
    }

    @Test(
        "because of the authority to trust names the key, its source and the file, and makes no store",
        arguments: ["sandbox", "production"]
    )
    func authority(environment: String) async throws {
        try await withTemporaryDirectory { directory in
            let flag = "--apns-\(environment)-ca"
            let missing = try await failure([flag, "nowhere.pem"], data: "\(directory)/data", in: directory)
            #expect(missing?.code == "bad_configuration")
            #expect(missing?.message.hasPrefix("apns.\(environment).ca (flag \(flag)): expected a PEM file") == true)
            #expect(missing?.message.contains("nowhere.pem cannot be read") == true)

            let file = "\(directory)/ca.pem"
            try Data("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)
                .write(to: URL(fileURLWithPath: file))
            let variable = ["APUS_APNS_\(environment.uppercased())_CA": file]
            let noPEM = try await failure(data: "\(directory)/data", environment: variable, in: directory)
            #expect(noPEM?.code == "bad_configuration")
            #expect(noPEM?.message.contains("environment APUS_APNS_\(environment.uppercased())_CA") == true)
            #expect(noPEM?.message.contains("\(file), which holds no certificate") == true)
            #expect(!FileManager.default.fileExists(atPath: "\(directory)/data"))
        }
    }

    @Test("because its host has no address says so")
    func unknownHost() async throws {
        try await withTemporaryDirectory { directory in
            let failure = try await failure(
                ["--host", "no-such-host.invalid", "--insecure-http"],
                data: directory,
                in: directory
            )
            #expect(failure?.code == "addressUnavailable")
            #expect(failure?.message.contains("no-such-host.invalid") == true)
        }
    }
}
