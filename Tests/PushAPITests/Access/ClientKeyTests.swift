// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

/// What an attacker can do with the client key of an app.
@Suite("A stolen client key", .timeLimit(.minutes(20)))
struct ClientKeyTests {
    private static let path = "/v1/apps/\(TestAPI.app)"
    private static let own = String(repeating: "o", count: 42) + "A"
    private static let other = String(repeating: "x", count: 42) + "A"

    private static func headers(_ secret: String?) throws -> HTTPFields {
        var headers = HTTPFields()
        if let secret { headers[try #require(HTTPField.Name("Apus-Installation-Secret"))] = secret }
        return headers
    }

    /// An app as the API creates it, with the device of a victim and a client key.
    private func withVictim(
        _ store: TestStoreBackend = .sqlite,
        _ body: @Sendable @escaping (TestAPI, _ client: String) async throws -> Void
    ) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await api.call(.delete, Self.path)
            let app = #"{"id":"\#(TestAPI.app)","defaultEnvironment":"sandbox"}"#
            let created = try await api.call(.post, "/v1/apps", app)
            #expect(created.json["installationSecrets"] == "required")
            #expect(created.json["activityJoins"] == "named")
            let client = try await api.key(scopes: [.client], app: TestAPI.app).text
            let phone = #"{"token":"\#(TestToken.hex(1))","userID":"ann","topics":["news"]}"#
            let told = try await api.call(
                .put,
                "\(Self.path)/devices/phone",
                phone,
                key: client,
                headers: try Self.headers(Self.own)
            )
            #expect(told.status == 201, "\(told.text)")
            try await body(api, client)
        }
    }

    @Test("changes no device of others, nor its activities", arguments: TestStoreBackend.allCases)
    func othersDevice(store: TestStoreBackend) async throws {
        try await self.withVictim(store) { api, client async throws in
            let activity = #"{"id":"lesson","attributesType":"T","participants":{"devices":["phone"]}}"#
            #expect(try await api.call(.post, "\(Self.path)/activities", activity).status == 201)
            let token = #"{"token":"\#(TestToken.hex(7))"}"#
            let joined = try await api.call(
                .put,
                "\(Self.path)/activities/lesson/tokens/phone",
                token,
                key: client,
                headers: try Self.headers(Self.own)
            )
            #expect(joined.status == 200, "\(joined.text)")
            let calls: [(HTTPRequest.Method, String, String?)] = [
                (.put, "devices/phone", token), (.delete, "devices/phone", nil),
                (.put, "devices/phone/start-tokens/T", token),
                (.put, "activities/lesson/tokens/phone", #"{"token":"\#(TestToken.hex(8))"}"#),
                (.delete, "activities/lesson/tokens/phone?reason=ended", nil),
            ]
            for (secret, code) in [
                (Self.other, "installation_secret_mismatch"), (nil, "installation_secret_required"),
            ] as [(String?, String)] {
                for (method, path, body) in calls {
                    let answer = try await api.call(
                        method,
                        "\(Self.path)/\(path)",
                        body,
                        key: client,
                        headers: try Self.headers(secret)
                    )
                    #expect(answer.status == 403, "\(method) \(path): \(answer.text)")
                    #expect(answer.code == code, "\(method) \(path)")
                }
            }
            #expect(try await api.call(.get, "\(Self.path)/devices/phone").json["token"]?.text == TestToken.hex(1))
            let phones = try await api.call(.get, "\(Self.path)/activities/lesson/participants")
            #expect(phones.json["participants"]?.elements.map { $0["state"]?.text } == ["active"])
            #expect(try await api.call(.delete, "\(Self.path)/devices/phone/secret", key: client).status == 403)
        }
    }

    @Test("joins no activity of others, and gets no content of it", arguments: TestStoreBackend.allCases)
    func othersActivity(store: TestStoreBackend) async throws {
        try await self.withVictim(store) { api, client async throws in
            let headers = try Self.headers(Self.other)
            let body = #"{"token":"\#(TestToken.hex(6))","attributesType":"T","contentState":{}}"#
            let created = try await api.call(
                .put,
                "\(Self.path)/activities/lesson/tokens/attacker",
                body,
                key: client,
                headers: headers
            )
            #expect(created.status == 200, "the ID was free: \(created.text)")
            let activity = #"{"id":"lesson","attributesType":"T","contentState":{"n":0}}"#
            let backend = try await api.call(.post, "\(Self.path)/activities", activity)
            #expect(backend.status == 201, "the backend's creation wins: \(backend.text)")
            let joined = try await api.call(
                .put,
                "\(Self.path)/activities/lesson/tokens/attacker",
                body,
                key: client,
                headers: headers
            )
            #expect(joined.status == 403)
            #expect(joined.code == "activity_not_joinable")
            let changed = try await api.call(.patch, "\(Self.path)/activities/lesson", #"{"patch":{"n":1}}"#)
            #expect(changed.json["sent"]?.number == 0)
            #expect(changed.json["pending"]?.number == 0)
            // Once the device is registered and the backend names it, it may.
            let device = #"{"token":"\#(TestToken.hex(9))"}"#
            let registered = try await api.call(
                .put,
                "\(Self.path)/devices/attacker",
                device,
                key: client,
                headers: headers
            )
            #expect(registered.status == 201)
            let path = "\(Self.path)/activities/lesson/participants"
            #expect(try await api.call(.post, path, #"{"devices":["attacker"]}"#).status == 204)
            #expect(try await api.call(.post, path, #"{"devices":["attacker"]}"#, key: client).status == 403)
            let unknown = try await api.call(.post, "\(Self.path)/activities/x/participants", "{}")
            #expect(unknown.code == "activity_not_found")
            let named = try await api.call(
                .put,
                "\(Self.path)/activities/lesson/tokens/attacker",
                body,
                key: client,
                headers: headers
            )
            #expect(named.status == 200, "\(named.text)")
        }
    }

    @Test("makes no call fail that names other users", arguments: TestStoreBackend.allCases)
    func manyDevices(store: TestStoreBackend) async throws {
        try await self.withVictim(store) { api, client async throws in
            let profile = DeviceProfile(userID: "mallory")
            let devices = (0..<10_001).map { number in
                let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 2 * 8)) ^ 0xA5 }
                return DeviceRegistration(
                    app: TestAPI.app,
                    installation: DeviceID(unchecked: "m\(number)"),
                    token: (try? DeviceToken(bytes: bytes)) ?? TestToken.token(0),
                    environment: .sandbox,
                    profile: profile
                )
            }
            for start in [0, 5000, 10_000] {
                try await api.store.register(Array(devices[start..<min(start + 5000, 10_001)]), now: TestTime.start)
            }
            let notification = #"{"targets":{"users":["ann","mallory"]},"notification":{"body":"Hello"}}"#
            let sent = try await api.call(.post, "\(Self.path)/notifications", notification)
            #expect(sent.status == 202, "\(sent.text)")
            #expect(sent.json["targetCount"]?.number == DeviceLimit.devicesOfUser + 1, "\(sent.text)")
            let activity = #"""
                {"id":"a","attributesType":"T","attributes":{},"contentState":{},"alert":{"title":"t","body":"b"},
                 "users":["ann","mallory"]}
                """#
            let started = try await api.call(.post, "\(Self.path)/activities", activity)
            #expect(started.status == 201, "\(started.text)")
        }
    }

    @Test("stores no push-to-start token of a device that does not exist", arguments: TestStoreBackend.allCases)
    func orphanedTokens(store: TestStoreBackend) async throws {
        try await self.withVictim(store) { api, client async throws in
            let answer = try await api.call(
                .put,
                "\(Self.path)/devices/nobody/start-tokens/T",
                #"{"token":"ab"}"#,
                key: client,
                headers: try Self.headers(Self.other)
            )
            #expect(answer.status == 404)
            #expect(answer.code == "device_not_found")
        }
    }

    @Test(
        "a secret is base64url of exactly 32 bytes",
        arguments: [
            "", "abc", String(repeating: "A", count: 44),
            String(repeating: "A", count: 42) + "B", String(repeating: "+", count: 43),
        ]
    )
    func malformed(secret: String) async throws {
        try await self.withVictim { api, client async throws in
            let answer = try await api.call(
                .put,
                "\(Self.path)/devices/new",
                #"{"token":"ab"}"#,
                key: client,
                headers: try Self.headers(secret)
            )
            #expect(answer.status == 422, "\(answer.text)")
            #expect(answer.json["errors"]?.elements.first?["field"]?.text == "Apus-Installation-Secret")
        }
    }

    @Test("an app admits clients of before, and its devices are bound until a date")
    func migration() async throws {
        try await self.withVictim { api, client async throws in
            func register(_ secret: String?) async throws -> Answer {
                try await api.call(
                    .put,
                    "\(Self.path)/devices/old",
                    #"{"token":"\#(TestToken.hex(3))"}"#,
                    key: client,
                    headers: try Self.headers(secret)
                )
            }
            #expect(try await register(nil).code == "installation_secret_required")
            let optional = try await api.call(.patch, Self.path, #"{"installationSecrets":"optional"}"#)
            #expect(optional.json["installationSecrets"] == "optional")
            #expect(try await register(nil).status == 201)
            try await api.call(.patch, Self.path, #"{"installationSecrets":"required"}"#)
            #expect(try await register(Self.own).code == "installation_not_bound")
            let dated = #"{"installationsBindUntil":"2100-01-01T00:00:00Z"}"#
            #expect(try await api.call(.patch, Self.path, dated).status == 200)
            #expect(try await register(Self.own).code == nil)
            #expect(try await register(Self.other).code == "installation_secret_mismatch")
            #expect(try await api.call(.delete, "\(Self.path)/devices/old/secret").status == 204)
            #expect(try await register(Self.other).code == nil)
            #expect(try await api.call(.delete, "\(Self.path)/devices/none/secret").code == "device_not_found")
            #expect(try await api.call(.patch, "/v1/apps/none", dated).code == "app_not_found")
        }
    }
}
