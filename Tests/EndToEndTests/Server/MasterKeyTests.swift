// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Logging
import PushModel
import Testing

@testable import CommandLineSupport

@Suite("The master key", .timeLimit(.minutes(20)))
struct MasterKeyTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a test with a server that has been started once and stopped, and the path of its master key.
    private func withUsedServer(
        addingCredential: Bool,
        _ body: (ServerInTest, String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let first = try await server.start(with: "none")
                if addingCredential { try await first.createApp(simulator) }
                #expect(await first.process.stop() == 0)
                try await body(server, "\(directory)/data/master.key")
            }
        }
    }

    @Test("is made once, whole, and readable by its owner alone")
    func made() async throws {
        try await self.withUsedServer(addingCredential: false) { server, path in
            let content = try String(contentsOfFile: path, encoding: .utf8)
            #expect(throws: Never.self) { try MasterKey(base64: content) }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(server.directory)/data")
            #expect(names.filter { $0.hasPrefix("master.key") } == ["master.key"])

            let second = try await server.start(with: "none")
            #expect(await second.process.stop() == 0)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
        }
    }

    @Test("that is gone ends the start while credentials are sealed under it; put back, everything works again")
    func lost() async throws {
        try await self.withUsedServer(addingCredential: true) { server, path in
            let content = try Data(contentsOf: URL(fileURLWithPath: path))
            try FileManager.default.removeItem(atPath: path)
            let arguments = ["serve", "--port", "0", "--data", "\(server.directory)/data", "--json"]
            let run = try await CommandRun(arguments, in: server.directory)
            #expect(run.status == 1)
            #expect(run.failure?.code == "master_key_lost")
            for word in [path, ServerInTest.app, "backup", "--master-key-file", "APUS_MASTER_KEY", "openssl rand"] {
                #expect(run.failure?.message.contains(word) == true, "\(word)")
            }
            #expect(!FileManager.default.fileExists(atPath: path))

            try content.write(to: URL(fileURLWithPath: path))
            try await self.expectDelivery(from: server)
        }
    }

    @Test("that is gone is made anew while nothing is sealed under it")
    func unused() async throws {
        try await self.withUsedServer(addingCredential: false) { server, path in
            try FileManager.default.removeItem(atPath: path)
            let second = try await server.start(with: "none")
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(await second.process.stop() == 0)
        }
    }

    @Test("may be given up as the message says: the log names what it does not open, and new credentials work")
    func givenUp() async throws {
        try await self.withUsedServer(addingCredential: true) { server, path in
            try Data("\(MasterKey.generate().base64)\n".utf8).write(to: URL(fileURLWithPath: path))
            let second = try await server.start()
            #expect(second.process.logEnd.contains("does not open all credentials"))
            #expect(second.process.logEnd.contains(ServerInTest.app))
            let key = server.simulator.demoKey
            let body = ["type": "key", "keyID": key.keyID, "teamID": key.teamID, "p8": key.p8]
            _ = try await second.api.call(.post, "/v1/apps/\(ServerInTest.app)/credentials", sending: body)
            #expect(await second.process.stop() == 0)
            try await self.expectDelivery(from: server)
        }
    }

    @Test("that is no key is refused with its source", arguments: ["APUS_MASTER_KEY", "APUS_MASTER_KEY_FILE"])
    func bad(variable: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/some.key"
            try Self.write("short\n", to: file, mode: 0o600)
            let run = try await CommandRun(
                ["serve", "--port", "0", "--data", "\(directory)/data", "--json"],
                environment: [variable: variable.hasSuffix("FILE") ? file : "short"],
                in: directory
            )
            #expect(run.status == 1)
            #expect(run.failure?.code == "bad_master_key")
            #expect(run.failure?.message.contains("environment \(variable)") == true)
            #expect(run.failure?.message.contains("openssl rand -base64 32") == true)
        }
    }

    @Test("of a file that is named is used, and none is made in the data directory")
    func named() async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                let file = "\(directory)/secret.key"
                try Self.write("\(MasterKey.generate().base64)\n", to: file, mode: 0o400)
                let server = try await ServerInTest(in: directory, simulator: simulator)
                for _ in 0..<2 {
                    let running = try await server.start(with: "none", environment: ["APUS_MASTER_KEY_FILE": file])
                    #expect(await running.process.stop() == 0)
                    #expect(!running.process.logEnd.contains("does not open all credentials"))
                }
                #expect(!FileManager.default.fileExists(atPath: "\(directory)/data/master.key"))
            }
        }
    }

    @Test("that other users can read is refused with how to close it", arguments: [0o644, 0o666, 0o604])
    func exposed(mode: Int) async throws {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/some.key"
            try Self.write("\(MasterKey.generate().base64)\n", to: file, mode: mode)
            let run = try await CommandRun(
                ["serve", "--port", "0", "--data", "\(directory)/data", "--json"],
                environment: ["APUS_MASTER_KEY_FILE": file],
                in: directory
            )
            #expect(run.status == 1)
            #expect(run.failure?.code == "exposed_master_key")
            let words = ["environment APUS_MASTER_KEY_FILE", "mode 0\(String(mode, radix: 8))", "chmod 600 \(file)"]
            for word in words { #expect(run.failure?.message.contains(word) == true, "\(word)") }
        }
    }

    private static func write(_ text: String, to path: String, mode: Int) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("is made by one of several processes that start at once, and all use that one")
    func race() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/master.key"
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask { try PrivateFile.create(path, Data("\(number)".utf8)) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(made == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["master.key"])
        }
    }

    /// Starts the server once more; it has to send with the credential in its store.
    private func expectDelivery(from server: ServerInTest) async throws {
        let running = try await server.start(environment: ["APUS_WAIT_TIMEOUT_SECONDS": "60"])
        let token = try #require(try server.simulator.bootDevices(1, apps: [ServerInTest.app]).first)
        let sent = try await running.apus("send", ServerInTest.app, "--token", token.hex, "--title", "x", "--wait")
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(await running.process.stop() == 0)
    }
}
