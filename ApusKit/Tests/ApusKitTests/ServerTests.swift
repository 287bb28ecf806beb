// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if os(Linux)
import Foundation
import Testing
import VirtualDeviceTesting

@testable import ApusKit

/// What the server says to the kit, by the server itself.
extension OnPhone {
    /// A key for the app, and its id.
    private static func clientKey(_ stage: Stage) throws -> (id: String, key: String) {
        let body: [String: Any] = ["name": "app", "scopes": ["client"], "app": stage.app]
        let key = try stage.operate("POST", "/v1/keys", body)
        return (try #require(key["id"] as? String), try #require(key["key"] as? String))
    }

    @Test("a key that is revoked is said, what is told goes on waiting, and reaches the server by another key")
    func revokedKey() async throws {
        let log = ApusKit.Locked<[String]>([])
        let stage = try #require(Stage.ofProcess())
        let (id, key) = try Self.clientKey(stage)
        let write: @Sendable (ApusLogEntry) -> Void = { entry in log.withLock { $0.append(entry.description) } }
        try await Self.play { configuration in
            configuration.clientKey = key
            configuration.log = write
        } _: { phone, apus in
            _ = try await eventually("the device") { try Self.registered(phone) }
            try stage.operate("DELETE", "/v1/keys/\(id)")
            // Every process of the server refuses it within a second.
            var number = 0
            try await eventually("the refusal") {
                number += 1
                try apus.setTag("n", "\(number)")
                return log.withLock { $0.contains { $0.contains("status 401, revoked_api_key") } } ? () : nil
            }
            #expect(log.withLock { $0.contains { $0.hasPrefix("error: device: the client key is refused") } })
            try apus.setUser("ann")
            for number in 0..<(UploadQueueState.limit + 50) {
                let subject = ActivityUpload.Subject.start(attributesType: "Type\(number)")
                apus.tell(ActivityUpload(subject: subject, token: "0a", issuedAt: Date()))
            }
            try await eventually("the bound") {
                log.withLock { $0.filter { $0.contains("too much waits for the server; dropped: start token") }.count }
                    >= 51
                    ? () : nil
            }
            await apus.stop()

            // An update of the app brings another key; the installation and what waits are where they were.
            var configuration = ApusConfiguration(
                server: stage.server,
                clientKey: try Self.clientKey(stage).key,
                app: stage.app
            )
            configuration.directory = phone.container.appendingPathComponent("Apus")
            configuration.log = write
            configuration.notifications = NotificationCenter()
            let updated = Apus()
            updated.start(configuration)
            let device = try await eventually("what waited") {
                let device = try Self.registered(phone)
                return device?["userID"] as? String == "ann" ? device : nil
            }
            #expect((device["tags"] as? [String: String])?["n"] == "\(number)")
            try await eventually("the rest") {
                log.withLock { $0.filter { $0.contains("start token") && $0.contains("has it") }.count }
                    == UploadQueueState.limit - 1 ? () : nil
            }
            await updated.stop()
        }
    }

    @Test("a key of another app is said, and nothing is lost by it")
    func otherKey() async throws {
        let log = ApusKit.Locked<[String]>([])
        let stage = try #require(Stage.ofProcess())
        let other = "com.example.other\(UUID().uuidString.prefix(8).lowercased())"
        try stage.operate("POST", "/v1/apps", ["id": other, "defaultEnvironment": "sandbox"])
        let body: [String: Any] = ["name": "app", "scopes": ["client"], "app": other]
        let key = try #require(try stage.operate("POST", "/v1/keys", body)["key"] as? String)
        try await Self.play { configuration in
            configuration.clientKey = key
            configuration.log = { entry in log.withLock { $0.append(entry.description) } }
        } _: { phone, apus in
            try await eventually("the refusal") {
                log.withLock { $0.contains { $0.contains("refused (status 403, api_key_app_mismatch)") } } ? () : nil
            }
            await apus.stop()
            let waiting = try String(
                contentsOf: phone.container.appendingPathComponent("Apus/uploads.json"),
                encoding: .utf8
            )
            #expect(waiting.contains("device"))
        }
    }

    @Test("all that the kit lets through at its limits is taken by the server, and one more is held back")
    func inputLimits() async throws {
        let log = ApusKit.Locked<[String]>([])
        try await Self.play(configure: { configuration in
            configuration.log = { entry in log.withLock { $0.append(entry.description) } }
            configuration.surroundings = {
                var surroundings = Installation.Surroundings()
                surroundings.appVersion = String(repeating: "1", count: 64)
                surroundings.systemVersion = "18.1"
                surroundings.locale = "de-DE-u-\(String(repeating: "ca-gregory-", count: 6))mu-celsius"
                surroundings.timeZone = String(repeating: "Z", count: 65)
                return surroundings
            }
        }) { phone, apus in
            let first = try await eventually("the device") { try Self.registered(phone) }
            #expect((first["appVersion"] as? String)?.count == 64)
            #expect(first["systemVersion"] as? String == "18.1")
            #expect(first["locale"] as? String == "de-DE")
            #expect(first["timeZone"] as? String == nil)
            func text(_ length: Int, _ number: Int = 0) -> String {
                let number = "\(number)"
                return String(repeating: "ä", count: (length - number.utf8.count) / 2)
                    + String(repeating: "x", count: (length - number.utf8.count) % 2) + number
            }
            try apus.setUser(text(256))
            for number in 0..<Installation.maximumTags { try apus.setTag(text(64, number), text(256)) }
            for number in 0..<Installation.maximumTopics { try apus.subscribe(to: text(128, number)) }
            try await eventually("everything") {
                let device = try Self.registered(phone)
                let (tags, topics) = (device?["tags"] as? [String: String], device?["topics"] as? [String])
                return tags?.count == Installation.maximumTags + 1 && topics?.count == Installation.maximumTopics
                    && device?["userID"] as? String == text(256) ? () : nil
            }
            #expect(throws: ApusInputError.self) { try apus.setUser(text(257)) }
            #expect(throws: ApusInputError.self) { try apus.setTag(text(65), "") }
            #expect(throws: ApusInputError.self) { try apus.setTag("a", text(257)) }
            #expect(throws: ApusInputError.self) { try apus.subscribe(to: text(129)) }
            try apus.setTag("more", "")
            try apus.subscribe(to: "more")
            try apus.setUser("last")
            try await eventually("what came after") {
                try Self.registered(phone)?["userID"] as? String == "last" ? () : nil
            }
            #expect(log.withLock { $0.filter { $0.contains("more is left out") }.count } == 2)
            // The server refuses what the kit holds back.
            let installation = try #require(try Self.registered(phone)?["device"] as? String)
            let token = try phone.token
            for (field, value) in [
                ("userID", text(257)), ("topics", (0...256).map { "t\($0)" }),
                ("tags", Dictionary(uniqueKeysWithValues: (0...64).map { ("t\($0)", "") })),
            ] as [(String, Any)] {
                let body: [String: Any] = ["token": token, "environment": "sandbox", field: value]
                let error = #expect(throws: StageError.self) {
                    try phone.stage.backend("PUT", "/devices/\(installation)", body)
                }
                #expect(error?.text.contains(field) == true, "\(error?.description ?? "")")
            }
            #expect(!log.withLock { $0.contains { $0.contains("refused") } })
        }
    }

    @Test("by the schema of a value the server takes what phones decode, and refuses what they do not")
    func wideSchema() async throws {
        try await Self.play { phone, _ in
            let schema = try ContentSchema(contentState: ContentSchemaTests.wide)
            let body = try #require(try JSONSerialization.jsonObject(with: schema.json) as? [String: Any])
            let type = "Wide\(phone.id)"
            try phone.stage.backend("PUT", "/activity-types/\(type)", body)
            let data = try JSONEncoder().encode(ContentSchemaTests.wide)
            let state = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let id = "wide-\(phone.id)"
            try phone.stage.backend("POST", "/activities", ["id": id, "attributesType": type, "contentState": state])
            for (name, value) in [
                ("fees", ["c": 3]), ("places", ["7": ["name": "b", "distance": 2]]), ("empty", ["a": "b"]),
                ("weather", ["dry": [:] as [String: Int]]), ("mixed", [2, NSNull()]), ("ratio", 0.5), ("since", 0),
                ("level", -128),
            ] as [(String, Any)] {
                let changed = state.merging([name: value]) { $1 }
                // What the server takes, the app's type decodes.
                let json = try JSONSerialization.data(withJSONObject: changed)
                _ = try JSONDecoder().decode(ContentSchemaTests.Wide.self, from: json)
                try phone.stage.backend("PATCH", "/activities/\(id)", ["contentState": changed])
            }
            for (name, value) in [
                ("fees", ["c": "3"]), ("fees", [3]), ("places", ["7": ["name": "b"]]), ("weather", "dry"),
                ("lane", 1), ("level", 128), ("size", -1), ("since", "2026-01-01"), ("unknown", 1),
            ] as [(String, Any)] {
                let changed = state.merging([name: value]) { $1 }
                let error = #expect(throws: StageError.self, "\(name)") {
                    try phone.stage.backend("PATCH", "/activities/\(id)", ["contentState": changed])
                }
                #expect(error?.text.contains("content_mismatch") == true, "\(name): \(error?.text ?? "")")
            }
        }
    }
}
#endif
