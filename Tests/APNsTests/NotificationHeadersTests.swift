// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("Headers of a batch")
struct NotificationHeadersTests {
    private func headers(_ type: PushType, priority: Priority? = nil) throws -> NotificationHeaders {
        NotificationHeaders(
            topic: try Topic(bundleID: "com.example.app", pushType: type),
            pushType: type,
            priority: priority
        )
    }

    @Test("headers with the type's own topic and no priority are valid", arguments: PushType.known)
    func defaults(type: PushType) throws {
        #expect(try self.headers(type).validate(payloadSize: type.maximumPayloadBytes).isEmpty)
    }

    @Test("a priority that the type does not allow is refused, and only that", arguments: PushType.known)
    func priorities(type: PushType) throws {
        for number in [10, 7, 5, 1, 0, -1] {
            let priority = Priority(rawValue: number)
            let failures = try self.headers(type, priority: priority).validate(payloadSize: 100)
            let allowed = type.rule?.priorities.contains(priority) == true
            #expect(failures.map(\.field) == (allowed ? [] : ["apns-priority"]))
        }
    }

    @Test("a type with a single priority gets it filled in, since APNs assumes 10")
    func requiredPriority() throws {
        var background = try self.headers(.background)
        #expect(background.priority == .powerConsiderate)
        #expect(try self.headers(.alert).priority == nil)
        #expect(try self.headers(.alert).effectivePriority == .immediate)
        background.priority = nil
        #expect(
            background.validate(payloadSize: 10) == [
                InvalidValueError(
                    field: "apns-priority",
                    rule: "5 for push type background",
                    value: "no priority, which means 10"
                )
            ]
        )
    }

    @Test("a payload over the type's limit is refused with both sizes", arguments: PushType.known)
    func sizes(type: PushType) throws {
        let limit = type == .voip ? 5120 : 4096
        #expect(
            try self.headers(type).validate(payloadSize: limit + 1) == [
                InvalidValueError(
                    field: "payload",
                    rule: "at most \(limit) bytes for push type \(type)",
                    value: "\(limit + 1) bytes"
                )
            ]
        )
        #expect(try self.headers(type).validate(payloadSize: 0).map(\.field) == ["payload"])
    }

    @Test(
        "a topic that belongs to another type is refused",
        arguments: [
            (.liveactivity, "com.example.app", false), (.liveactivity, "com.example.app.voip", false),
            (.liveactivity, ".push-type.liveactivity", false), (.voip, "com.example.app", false),
            (.alert, "com.example.app.push-type.liveactivity", false), (.alert, "com.example.app.voip-ptt", false),
            (.background, "com.example.app.location-query", false), (.alert, "com.example.voip", true),
            (.alert, "com.example.complication", true), (.mdm, "com.apple.mgmt.External.x", true),
        ] as [(PushType, String, Bool)]
    )
    func topics(type: PushType, topic: String, valid: Bool) throws {
        let failures = NotificationHeaders(topic: try Topic(topic), pushType: type).validate(payloadSize: 10)
        #expect(failures.map(\.field) == (valid ? [] : ["apns-topic"]))
    }

    @Test("every failure is reported, not only the first")
    func all() throws {
        let headers = NotificationHeaders(
            topic: try Topic("com.example.app"),
            pushType: .pushtotalk,
            priority: .neverWake,
            expiration: APNsExpiration(rawValue: -5)
        )
        let failures = headers.validate(payloadSize: 9999)
        #expect(failures.map(\.field) == ["apns-topic", "apns-priority", "apns-expiration", "payload"])
        #expect(failures[1].message == "apns-priority: expected 10 for push type pushtotalk, got 1")
    }

    @Test("the fields on the wire are those that were given, in a fixed order")
    func fields() throws {
        let full = NotificationHeaders(
            topic: try Topic("com.example.app"),
            pushType: .alert,
            priority: .powerConsiderate,
            expiration: .once,
            collapseID: try CollapseID("game-1")
        )
        #expect(
            full.fields.map { "\($0.name): \($0.value)" } == [
                "apns-topic: com.example.app", "apns-push-type: alert", "apns-priority: 5", "apns-expiration: 0",
                "apns-collapse-id: game-1",
            ]
        )
        let bare = NotificationHeaders(topic: try Topic("com.example.app"))
        #expect(bare.fields.map(\.name.rawValue) == ["apns-topic", "apns-push-type"])
    }
}
