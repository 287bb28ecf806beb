// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Logging
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import CommandLineSupport
@testable import apus

@Suite("Rotation of the master key", .timeLimit(.minutes(20)))
struct MasterKeyRotationTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    /// Webhooks are not posted to: the tests are about their secrets alone.
    private static let quiet = ["--webhooks-enabled", "false"]

    /// Makes a place for a server, whose master key there may be none of yet.
    private static func withServer(
        on store: TestStoreBackend = .sqlite,
        _ body: (ServerInTest) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                switch store {
                case .sqlite: try await body(try await ServerInTest(in: directory, simulator: simulator))
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        let url = database.url
                        try await body(try await ServerInTest(in: directory, simulator: simulator, storeURL: url))
                    }
                }
            }
        }
    }

    private static func arguments(for server: ServerInTest, _ more: [String]) -> [String] {
        ["keys", "rotate-master", "--data", "\(server.directory)/data"] + more
    }

    /// Starts the command with lines for people.
    private static func begin(on server: ServerInTest, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            executable: BuiltExecutable.path,
            arguments: Self.arguments(for: server, arguments),
            environment: ServerStore.environment(url: server.storeURL),
            log: "\(server.directory)/rotation.log"
        )
    }

    /// Runs the command to its end, with JSON.
    private static func rotate(
        _ server: ServerInTest,
        _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws -> CommandRun {
        try await CommandRun(
            Self.arguments(for: server, arguments + ["--wait-seconds", "0", "--json"]),
            environment: ServerStore.environment(url: server.storeURL).merging(environment) { $1 },
            in: server.directory
        )
    }

    private static func key(of server: ServerInTest) throws -> MasterKey {
        try MasterKeyFile.read("\(server.directory)/data/master.key", from: "The master key")
    }

    /// Checks that a key opens everything in the store, and that there is so much.
    private static func expectAllOpen(_ server: ServerInTest, under key: MasterKey, count: Int) async throws {
        try await server.withStore { store in
            let sealed = try await SealedSecrets(in: store).all
            #expect(sealed.count == count)
            for entry in sealed { #expect(key.opens(entry.bytes, of: entry.item), "\(entry.item)") }
        }
    }

    private static func expectDelivery(from running: ServerInTest.Running, _ server: ServerInTest) async throws {
        let token = try #require(try server.simulator.bootDevices(1, apps: [ServerInTest.app]).first)
        let sent = try await running.apus("send", ServerInTest.app, "--token", token.hex, "--title", "x", "--wait")
        #expect(sent.status == 0, "\(sent.errors)")
    }

    /// Starts a server that sends, for a check that it does.
    private static func expectDelivery(
        after server: ServerInTest,
        environment: [String: String] = [:]
    ) async throws {
        let waiting = environment.merging(["APUS_WAIT_TIMEOUT_SECONDS": "60"]) { $1 }
        let running = try await server.start(environment: waiting, arguments: Self.quiet)
        try await Self.expectDelivery(from: running, server)
        #expect(await running.process.stop() == 0)
    }

    @Test(
        "everything opens while the key is rotated beside a running server, and after a restart",
        arguments: TestStoreBackend.allCases
    )
    func running(store: TestStoreBackend) async throws {
        try await Self.withServer(on: store) { server in
            let environment = ["APUS_WAIT_TIMEOUT_SECONDS": "60"]
            let running = try await server.start(environment: environment, arguments: Self.quiet)
            try await running.createApp(server.simulator)
            let webhook = Data(#"{"url":"https://hooks.example.com/"}"#.utf8)
            _ = try await running.api.call(.post, "/v1/apps/\(ServerInTest.app)/webhooks", body: webhook)
            let made = try await running.apus("keys", "create", "worker", "--scope", "send", "--access-key")
            #expect(made.status == 0, "\(made.errors)")
            let old = try Self.key(of: server)

            let rotation = try Self.begin(on: server, "--single-machine", "--wait-seconds", "1")
            let first = try #require(await rotation.nextLine())
            #expect(first.hasPrefix("New master key "))
            #expect(first.contains(old.id))
            // The server knows the old key alone until it seals this.
            try await running.addCredential(server.simulator)
            var lines: [String] = []
            while let line = await rotation.nextLine() { lines.append(line) }
            #expect(await rotation.exitStatus() == 0)
            let counts = "credentials 1, webhooks 1, access keys 1, users of URLs 0, delivery keys 0, data keys 0."
            let new = try Self.key(of: server)
            #expect(new.ids.count == 1)
            #expect(first.contains(new.id))
            #expect(lines.contains("Sealed again with \(new.id): \(counts)"), "\(lines)")
            #expect(lines.last == "Removed the master key \(old.id) from the file.")
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(server.directory)/data/master.key")
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            try await Self.expectAllOpen(server, under: new, count: 4)
            try await Self.expectDelivery(from: running, server)
            try await running.addCredential(server.simulator)
            try await Self.expectAllOpen(server, under: new, count: 5)
            #expect(await running.process.stop() == 0)

            try await Self.expectDelivery(after: server)
            let log = try String(contentsOfFile: "\(server.directory)/server.log", encoding: .utf8)
            #expect(log.contains("masterKey=\(old.id)"))
            #expect(log.contains("masterKey=\(new.id)"))
            #expect(!log.contains("another master key"))
        }
    }

    @Test("what a corrupt row has sealed is sealed again too, and opens once the row is mended")
    func damaged() async throws {
        try await Self.withServer { server in
            let running = try await server.start(with: "none")
            try await running.createApp(server.simulator)
            let webhook = Data(#"{"url":"https://hooks.example.com/"}"#.utf8)
            _ = try await running.api.call(.post, "/v1/apps/\(ServerInTest.app)/webhooks", body: webhook)
            #expect(await running.process.stop() == 0)
            let intruder = try Intruder(path: "\(server.directory)/data/apus.db")
            try await intruder.execute("UPDATE webhooks SET failures = -1")
            try await intruder.execute("UPDATE apps SET created_at = 9223372036854775807")
            let run = try await Self.rotate(server)
            #expect(run.status == 0, "\(run.errors)")
            let answer = try run.lastLine(as: RotationAnswer.self)
            #expect(answer.webhooks == 1)
            #expect(answer.credentials == 1)
            #expect(answer.formerKeysRemoved)
            try await intruder.execute("UPDATE webhooks SET failures = 0")
            try await Self.expectAllOpen(server, under: try Self.key(of: server), count: 2)
        }
    }

    @Test("a server that looks only after the rotation finds the new key when it opens something")
    func late() async throws {
        try await Self.withServer { server in
            let environment = ["APUS_WAIT_TIMEOUT_SECONDS": "60"]
            let running = try await server.start(environment: environment, arguments: Self.quiet)
            try await running.createApp(server.simulator)
            let run = try await Self.rotate(server)
            #expect(run.status == 0, "\(run.errors)")
            try await Self.expectDelivery(from: running, server)
            #expect(await running.process.stop() == 0)
        }
    }

    @Test("a rotation that was killed between its two writes is finished by the next one")
    func interrupted() async throws {
        try await Self.withServer { server in
            let running = try await server.start(with: "none")
            try await running.createApp(server.simulator)
            let old = try Self.key(of: server)

            let killed = try Self.begin(on: server, "--wait-seconds", "60")
            #expect(await killed.nextLine()?.contains(old.id) == true)
            let beside = try await Self.rotate(server)
            #expect(beside.failure?.code == "busy")
            killed.kill()
            _ = await killed.exitStatus()
            let both = try Self.key(of: server)
            #expect(both.ids.count == 2)
            try await running.addCredential(server.simulator)
            #expect(await running.process.stop() == 0)
            try await Self.expectDelivery(after: server)

            let run = try await Self.rotate(server)
            #expect(run.status == 0, "\(run.errors)")
            let answer = try run.lastLine(as: RotationAnswer.self)
            #expect(answer.masterKey == both.id)
            #expect(answer.formerKeys == [old.id])
            #expect(answer.credentials == 1)
            #expect(answer.formerKeysRemoved)
            #expect(try Self.key(of: server).ids == [both.id])
            try await Self.expectAllOpen(server, under: both.alone, count: 2)
            try await Self.expectDelivery(after: server)
        }
    }

    @Test("what no key opens is named, and the old key is kept until it is gone")
    func unopened() async throws {
        try await Self.withServer { server in
            let running = try await server.start(with: "none")
            try await running.createApp(server.simulator)
            #expect(await running.process.stop() == 0)
            let old = try Self.key(of: server)
            let bytes = MasterKey.generate().seal(CredentialMaterial(content: [1]), for: "foreign")
            let foreign = Credential(
                id: "foreign",
                app: AppID(unchecked: ServerInTest.app),
                kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"),
                environments: [.production],
                secret: .sealed(bytes),
                createdAt: Date(timeIntervalSince1970: 0)
            )
            try await server.withStore { try await $0.addCredential(foreign) }

            let first = try await Self.rotate(server)
            #expect(first.status == 1)
            let answer = try first.lastLine(as: RotationAnswer.self)
            #expect(answer.unopened == ["credential 'foreign' (\(ServerInTest.app))"])
            #expect(answer.credentials == 1)
            #expect(!answer.formerKeysRemoved)
            #expect(try Self.key(of: server).ids == [answer.masterKey, old.id])

            try await server.withStore { _ = try await $0.removeCredential("foreign") }
            let second = try await Self.rotate(server)
            #expect(second.status == 0, "\(second.errors)")
            #expect(try Self.key(of: server).ids == [answer.masterKey])
            try await Self.expectDelivery(after: server)
        }
    }

    @Test("keys in a variable only seal again, and one key alone is refused with the steps")
    func variable() async throws {
        try await Self.withServer { server in
            let old = MasterKey.generate()
            let both = old.succeeded(by: .generate())
            let variable = "APUS_MASTER_KEY"
            let running = try await server.start(with: "none", environment: [variable: old.base64])
            try await running.createApp(server.simulator)
            #expect(await running.process.stop() == 0)

            let refused = try await Self.rotate(server, environment: [variable: old.base64])
            #expect(refused.status == 1)
            #expect(refused.failure?.code == "one_master_key")
            for word in ["environment \(variable)", old.id, "openssl rand", "both keys"] {
                #expect(refused.failure?.message.contains(word) == true, "\(word)")
            }

            let run = try await Self.rotate(server, environment: [variable: both.base64])
            #expect(run.status == 0, "\(run.errors)")
            let answer = try run.lastLine(as: RotationAnswer.self)
            #expect(answer.masterKey == both.id)
            #expect(answer.credentials == 1)
            #expect(!answer.formerKeysRemoved)
            #expect(!FileManager.default.fileExists(atPath: "\(server.directory)/data/master.key"))
            try await Self.expectDelivery(after: server, environment: [variable: both.alone.base64])
        }
    }

    @Test("beside PostgreSQL, no new key is made where other machines may have copies of the file")
    func copies() async throws {
        try await Self.withServer(on: .postgres) { server in
            let old = try Self.key(of: server)
            let run = try await Self.rotate(server)
            #expect(run.status == 1)
            #expect(run.failure?.code == "one_master_key")
            #expect(run.failure?.message.contains("--single-machine") == true)
            #expect(try Self.key(of: server).ids == [old.id])
        }
    }

    @Test("a key follows its file, and stays as it is while that cannot be read")
    func follow() async throws {
        try await withTemporaryDirectory { directory in
            let path = MasterKeyFile.path(in: directory)
            let old = try MasterKeyFile.make(in: directory)
            let key = try MasterKeyFile.follow(path, from: "The master key", logger: Self.silent)
            func current() -> String {
                _ = key.derivedKeys(for: "test")
                return key.id
            }
            #expect(current() == old.id)
            let both = old.succeeded(by: .generate())
            try MasterKeyFile.replace(path, with: both)
            #expect(current() == both.id)
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path))
            #expect(current() == both.id)
            try FileManager.default.removeItem(atPath: path)
            #expect(current() == both.id)
            #expect(key.opens(old.seal(deliveryKey: "PEM"), of: .deliveryIdentity))
            let next = try MasterKeyFile.make(in: directory)
            #expect(current() == next.id)
        }
    }

    @Test("a file of keys keeps its permissions, and stays as it is when it cannot be replaced")
    func permissions() async throws {
        try await withTemporaryDirectory { directory in
            let path = MasterKeyFile.path(in: directory)
            let old = try MasterKeyFile.make(in: directory)
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
            let both = old.succeeded(by: .generate())
            try MasterKeyFile.replace(path, with: both)
            #expect(try MasterKeyFile.read(path, from: "The master key").ids == both.ids)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o400)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["master.key"])
            let failure = #expect(throws: CommandError.self) {
                try MasterKeyFile.replace("\(directory)/none/master.key", with: both)
            }
            #expect(failure?.code == "unwritable_file")
        }
    }
}
