// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import PushModel
import Testing

@testable import CommandLineSupport
@testable import apus

@Suite("The source of the master key", .timeLimit(.minutes(20)))
struct MasterKeySourceTests {
    private static let key = MasterKey.generate()

    /// Starts `apus serve` with this environment, stops it, and returns its log.
    private static func log(_ environment: [String: String], in directory: String) async throws -> String {
        let process = try ChildProcess(
            executable: BuiltExecutable.path,
            arguments: [
                "serve", "--port", "0", "--with", "none", "--data", "\(directory)/data", "--json",
                "--exit-on-stdin-close",
            ],
            environment: environment,
            log: "\(directory)/serve.log"
        )
        _ = try await process.ready(ServerReady.self)
        try await process.close()
        return try String(contentsOfFile: "\(directory)/serve.log", encoding: .utf8)
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    }

    @Test("is a variable, a file, a systemd credential or a command; none makes a key in the data directory")
    func sources() async throws {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/master.key"
            try Self.write("\(Self.key.base64)\n", to: file)
            let environments = [
                ["APUS_MASTER_KEY": Self.key.base64], ["APUS_MASTER_KEY_FILE": file],
                ["CREDENTIALS_DIRECTORY": directory], ["APUS_MASTER_KEY_COMMAND": "cat '\(file)'"],
            ]
            for environment in environments {
                let log = try await Self.log(environment, in: directory)
                #expect(log.contains("masterKey=\(Self.key.id)"), "\(log)")
                #expect(!log.contains(Self.key.base64))
            }
            #expect(!FileManager.default.fileExists(atPath: "\(directory)/data/master.key"))
        }
    }

    @Test("is a systemd credential only if no other source is set and the credential exists")
    func credential() async throws {
        try await withTemporaryDirectory { directory in
            func entry(_ environment: [String: String]) throws -> ConfigurationSources.Entry? {
                let variables = environment.merging(["CREDENTIALS_DIRECTORY": directory]) { $1 }
                return try ConfigurationSources(flags: [:], environment: variables, file: nil).entries()
                    .first { $0.key == .masterKeyFile }
            }
            #expect(try entry([:])?.value == nil)
            try Self.write(Self.key.base64, to: "\(directory)/master.key")
            #expect(try entry([:])?.value == "\(directory)/master.key")
            #expect(try entry([:])?.source == "credential master.key")
            #expect(try entry(["APUS_MASTER_KEY_FILE": "/other"])?.value == "/other")
            #expect(try entry(["APUS_MASTER_KEY": Self.key.base64])?.value == nil)
            #expect(try entry(["APUS_MASTER_KEY_COMMAND": "true"])?.value == nil)
        }
    }

    @Test("cannot be two sources at once")
    func contradiction() throws {
        let environment = ["APUS_MASTER_KEY_COMMAND": "true", "APUS_MASTER_KEY_FILE": "/some/file"]
        let entries = try ConfigurationSources(flags: [:], environment: environment, file: nil).entries()
        let failure = try #require(throws: CommandError.self) { _ = try ServerConfiguration(entries) }
        #expect(failure.message.contains("masterKeyFile (environment APUS_MASTER_KEY_FILE)"))
        #expect(failure.message.contains("masterKeyCommand (environment APUS_MASTER_KEY_COMMAND)"))
    }

    @Test("is read from the whole output of a command, with several keys too")
    func command() throws {
        let other = MasterKey.generate()
        let key = try MasterKeyCommand.run("echo \(Self.key.base64); echo \(other.base64)", from: "test")
        #expect(key.ids == [Self.key.id, other.id])
    }

    @Test(
        "is no command that fails, prints something else or too much",
        arguments: [
            ("exit 3", "master_key_command_failed", "status 3"),
            ("kill -9 $$", "master_key_command_failed", "status 9"),
            ("/no/such/program", "master_key_command_failed", "status 127"),
            ("echo c2VjcmV0", "bad_master_key", "output"),
            ("true", "bad_master_key", "output"), ("cat /dev/zero", "master_key_command_failed", ""),
            (#"printf '\377\376'"#, "master_key_command_failed", "no text"),
        ]
    )
    func failures(command: String, code: String, word: String) {
        let failure = #expect(throws: CommandError.self) { _ = try MasterKeyCommand.run(command, from: "the source") }
        #expect(failure?.code == code)
        #expect(failure?.message.contains("the source") == true)
        #expect(word.isEmpty || failure?.message.contains(word) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("c2VjcmV0") == false)
    }

    @Test("is not waited for longer than the time limit, and the command and its children are killed")
    func timeout() async throws {
        try await withTemporaryDirectory { directory in
            let pid = "\(directory)/pid"
            let start = ContinuousClock.now
            let failure = #expect(throws: CommandError.self) {
                let command = "sleep 600 & echo $! >'\(pid)'; wait"
                _ = try MasterKeyCommand.run(command, from: "test", timeout: .seconds(2))
            }
            #expect(failure?.message.contains("within 2 s") == true)
            #expect(ContinuousClock.now - start < .seconds(300))
            let child = try String(contentsOfFile: pid, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            // A process that has ended and was not cleared away has an empty command line.
            try await waitUntil {
                let line = try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)
                return line?.contains("sleep") != true
            }
        }
    }
}
