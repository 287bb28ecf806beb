// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

@testable import apus

@Suite("apus apps, devices and keys", .timeLimit(.minutes(20)))
struct ResourceCommandTests {
    @Test("apps are created, listed and deleted")
    func apps() async throws {
        try await ServerInTest.with { _, server in
            let app = "com.example.second"
            let created = try await server.apus("apps", "create", app, "--name", "Second", "--environment", "sandbox")
            #expect(created.status == 0)
            #expect(created.lines.first?.contains("apus apps credential add \(app)") == true)
            let again = try await server.apus("apps", "create", app, "--json")
            #expect(again.status == 1)
            #expect(again.failure?.code == "app_exists")

            let table = try await server.apus("apps", "list")
            #expect(table.lines.first?.hasPrefix("APP ") == true)
            #expect(table.lines.contains { $0.hasPrefix("\(app) ") && $0.contains("Second") && $0.contains("sandbox") })
            let list = try await server.apus("apps", "list", "--json")
            let found = try list.lines.map { try JSON.decoder.decode(AppResponse.self, from: Data($0.utf8)).id }
            #expect(Set(found) == [app, ServerInTest.app])

            #expect(try await server.apus("apps", "delete", app).status == 0)
            #expect(try await server.apus("apps", "delete", app, "--json").failure?.code == "app_not_found")
            #expect(try await server.apus("apps", "list", "--json").lines.count == 1)
        }
    }

    @Test("credentials are added from files, listed without their secret, and removed")
    func credentials() async throws {
        try await ServerInTest.with { simulator, server in
            let app = ServerInTest.app
            let key = try simulator.makeKey()
            let file = "\(server.directory)/key.p8"
            try Data(key.p8.utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let added = try await server.apus(
                "apps",
                "credential",
                "add",
                app,
                "--p8",
                file,
                "--key-id",
                key.keyID,
                "--team-id",
                key.teamID,
                "--environment",
                "sandbox",
                "--json"
            )
            #expect(added.status == 0, "\(added.errors)")
            #expect(added.errors.contains("(mode 0644). Run: chmod 600 \(file)"), "\(added.errors)")
            let credential = try added.lastLine(as: CredentialResponse.self)
            #expect(credential.environments == ["sandbox"])
            let list = try await server.apus("apps", "credential", "list", app)
            #expect(list.lines.contains { $0.hasPrefix("\(credential.id) ") && $0.contains("sealed") })
            #expect(!list.lines.joined().contains("PRIVATE KEY"))
            #expect(try await server.apus("apps", "credential", "remove", app, credential.id).status == 0)
            #expect(try await server.apus("apps", "credential", "list", app, "--json").lines.count == 1)
        }
    }

    @Test("devices are registered, listed and deleted")
    func devices() async throws {
        try await ServerInTest.with { simulator, server in
            let app = ServerInTest.app
            let token = try #require(try simulator.bootDevices(1, apps: [app]).first).hex
            let put = try await server.apus(
                "devices",
                "put",
                app,
                "my phone/1",
                "--token",
                token.uppercased(),
                "--user",
                "anna",
                "--tag",
                "a=b=c",
                "--topic",
                "news",
                "--json"
            )
            #expect(put.status == 0, "\(put.errors)")
            let device = try put.lastLine(as: DeviceResponse.self)
            #expect(device.device == "my phone/1")
            #expect(device.token == token)
            #expect(device.environment == "sandbox")
            #expect(put.lines.joined().contains(#""tags":{"a":"b=c"}"#))

            let table = try await server.apus("devices", "list", app)
            #expect(table.lines.contains { $0.hasPrefix("my phone/1 ") && $0.contains("active") })
            #expect(!table.lines.joined().contains(token))
            let list = try await server.apus("devices", "list", app, "--json")
            #expect(try list.lastLine(as: DeviceResponse.self).userID == "anna")

            let bad = try await server.apus("devices", "put", app, "other", "--token", "zz", "--json")
            #expect(bad.status == 1)
            #expect(bad.failure?.code == "invalid_device_token")
            #expect(try await server.apus("devices", "delete", app, "my phone/1").status == 0)
            #expect(try await server.apus("devices", "list", app, "--json").lines.isEmpty)
            #expect(try await server.apus("devices", "delete", app, "my phone/1").status == 1)
        }
    }

    @Test("keys are made through the server with the scopes that they are given, and end when they are revoked")
    func keys() async throws {
        try await ServerInTest.with { _, server in
            let made = try await server.apus("keys", "create", "reader", "--scope", "read", "--days", "1", "--json")
            let key = try made.lastLine(as: KeyResponse.self)
            #expect(key.scopes == ["read"])
            #expect(key.expiresAt != nil)
            let environment = server.environment.merging(["APUS_API_KEY": key.key ?? ""]) { $1 }
            func asReader(_ arguments: String...) async throws -> CommandRun {
                try await CommandRun(arguments, environment: environment, in: server.directory)
            }
            #expect(try await asReader("apps", "list").status == 0)
            #expect(try await asReader("apps", "create", "a.b", "--json").failure?.code == "insufficient_scope")
            #expect(try await server.apus("keys", "revoke", key.id).status == 0)
            #expect(try await asReader("apps", "list", "--json").failure?.code == "revoked_api_key")
            let list = try await server.apus("keys", "list")
            #expect(list.lines.contains { $0.hasPrefix("\(key.id) ") && $0.contains("revoked") })
        }
    }

    @Test("keys are rotated with an overlap, and the audit log shows by whom")
    func rotation() async throws {
        try await ServerInTest.with { _, server in
            let range = "127.0.0.0/8"
            let made = try await server.apus(
                "keys",
                "create",
                "reader",
                "--scope",
                "read",
                "--allow-address",
                range,
                "--json"
            )
            let key = try made.lastLine(as: KeyResponse.self)
            #expect(key.allowedAddresses == [range])
            let rotated = try await server.apus("keys", "rotate", key.id, "--overlap", "30m", "--days", "9", "--json")
            let answer = try rotated.lastLine(as: KeyRotationResponse.self)
            #expect(answer.replaced.replacedBy == answer.key.id)
            #expect(answer.key.allowedAddresses == [range])
            for secret in [key.key, answer.key.key] {
                let environment = server.environment.merging(["APUS_API_KEY": secret ?? ""]) { $1 }
                #expect(
                    try await CommandRun(["apps", "list"], environment: environment, in: server.directory).status == 0
                )
            }
            let list = try await server.apus("keys", "list")
            #expect(list.lines.contains { $0.hasPrefix("\(key.id) ") && $0.contains("replaced by \(answer.key.id)") })
            #expect(list.lines.contains { $0.hasPrefix("\(answer.key.id) ") && $0.contains("in 215 hours") })
            #expect(try await server.apus("keys", "rotate", key.id, "--overlap", "91d").status != 0)

            let audit = try await server.apus("audit", "list", "--action", "api_key.rotated")
            #expect(audit.lines.count == 2)
            #expect(audit.lines.last?.contains(key.id) == true)
            let export = try await server.apus("audit", "export", "--resource", key.id)
            #expect(export.lines.count == 2)
            #expect(export.lines.allSatisfy { $0.hasPrefix("{") && $0.contains(#""after":{"#) })
        }
    }
}
