// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("Push types")
struct PushTypeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var type: PushType
        var name: String
        var suffix: String
        var priorities: Set<Int>
        var trust: ProviderAuthentication
        var limit: Int
        var testDescription: String { self.name }

        init(
            _ type: PushType,
            _ name: String,
            _ suffix: String,
            _ priorities: Set<Int>,
            _ trust: ProviderAuthentication,
            _ limit: Int = 4096
        ) {
            (self.type, self.name, self.suffix, self.priorities) = (type, name, suffix, priorities)
            (self.trust, self.limit) = (trust, limit)
        }
    }

    static let rows: [Row] = [
        Row(.alert, "alert", "", [10, 5, 1], .any),
        Row(.background, "background", "", [5], .any),
        Row(.voip, "voip", ".voip", [10, 5, 1], .certificateListingTopic, 5120),
        Row(.complication, "complication", ".complication", [10, 5, 1], .certificateListingTopic),
        Row(.fileprovider, "fileprovider", ".pushkit.fileprovider", [10, 5, 1], .tokenOnly),
        Row(.location, "location", ".location-query", [10, 5], .tokenOnly),
        Row(.liveactivity, "liveactivity", ".push-type.liveactivity", [10, 5], .tokenOnly),
        Row(.pushtotalk, "pushtotalk", ".voip-ptt", [10], .certificateListingTopic),
        Row(.widgets, "widgets", ".push-type.widgets", [10, 5, 1], .tokenOnly),
        Row(.controls, "controls", ".push-type.controls", [10, 5, 1], .tokenOnly),
        Row(.mdm, "mdm", "", [10, 5, 1], .certificateListingTopic),
    ]

    @Test("every type has Apple's name, topic suffix, priorities, trust and size limit", arguments: rows)
    func rules(row: Row) throws {
        let rule = try #require(row.type.rule)
        #expect(row.type.rawValue == row.name)
        #expect(rule.topicSuffix == row.suffix)
        #expect(rule.priorities == Set(row.priorities.map(Priority.init(rawValue:))))
        #expect(rule.trust == row.trust)
        #expect(rule.maximumPayloadBytes == row.limit)
        #expect(row.type.maximumPayloadBytes == row.limit)
    }

    @Test("the table has a row for every known type")
    func complete() {
        #expect(PushType.known == Self.rows.map(\.type))
        #expect(PayloadLimit.broadcast == 5120)
    }

    @Test("a topic is the bundle identifier with the type's suffix, and gives the identifier back", arguments: rows)
    func topics(row: Row) throws {
        let topic = try Topic(bundleID: "com.example.app", pushType: row.type)
        #expect(topic.rawValue == "com.example.app" + row.suffix)
        #expect(topic.bundleID(for: row.type) == "com.example.app")
    }

    @Test("a topic that is nothing but the suffix names no app")
    func bareSuffix() throws {
        #expect(try Topic(".voip").bundleID(for: .voip) == nil)
        #expect(try Topic("com.example.app").bundleID(for: .voip) == nil)
    }
}
