// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@Suite("Broadcasts")
struct BroadcastHeadersTests {
    private func headers() throws -> NotificationHeaders {
        NotificationHeaders(broadcastFor: try Topic("com.example.app"), priority: .immediate, expiration: .once)
    }

    @Test("the app goes into the path, and no topic onto the wire")
    func fields() throws {
        let fields = try self.headers().fields
        #expect(fields.map(\.name) == [.pushType, .priority, .expiration])
        #expect(fields.map(\.value) == ["liveactivity", "10", "0"])
        #expect(APNsPath.broadcast(bundleID: "com.example.app") == "/4/broadcasts/apps/com.example.app")
    }

    @Test("a broadcast may have 5,120 bytes, a push to a device 4,096")
    func sizes() throws {
        let headers = try self.headers()
        #expect(headers.validate(payloadSize: 5120).isEmpty)
        #expect(headers.validate(payloadSize: 5121).map(\.field) == ["payload"])
        var suffixed = headers
        suffixed.topic = try Topic(bundleID: "com.example.app", pushType: .liveactivity)
        #expect(suffixed.validate(payloadSize: 1).map(\.field) == ["apns-topic"])
    }

    @Test("headers are read as they were written, and those of older versions too")
    func codable() throws {
        let broadcast = try self.headers()
        let device = NotificationHeaders(topic: try Topic("com.example.app"))
        for headers in [broadcast, device] {
            let data = try JSONEncoder().encode(headers)
            #expect(try JSONDecoder().decode(NotificationHeaders.self, from: data) == headers)
        }
        let old = Data(#"{"topic":"com.example.app","pushType":"alert"}"#.utf8)
        #expect(try JSONDecoder().decode(NotificationHeaders.self, from: old) == device)
    }

    @Test(
        "the identifier of a channel is base64 text",
        arguments: [
            ("dHN0LXNyY2gtY2hubA==", true), ("a-_9", true), ("", false), ("a b", false), ("ä", false),
            (String(repeating: "A", count: 100), true), (String(repeating: "A", count: 101), false),
        ]
    )
    func channelIDs(text: String, isValid: Bool) {
        #expect((APNsChannelID(rawValue: text) != nil) == isValid)
    }
}
