// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("Payloads held against their push type")
struct PayloadValidationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var type: PushType
        var json: String
        var failures: [String]
        var testDescription: String { "\(self.type) \(self.json)" }

        init(_ type: PushType, _ json: String, _ failures: String...) {
            (self.type, self.json, self.failures) = (type, json, failures)
        }
    }

    private func failures(_ row: Row) throws -> [String] {
        let headers = NotificationHeaders(
            topic: try Topic(bundleID: "com.example.app", pushType: row.type),
            pushType: row.type
        )
        return headers.validate(payload: try APNsPayload(json: row.json)).map(\.message)
    }

    static let good: [Row] = [
        Row(.alert, #"{"aps":{"alert":"x"}}"#), Row(.alert, #"{"aps":{"badge":0}}"#),
        Row(.alert, #"{"aps":{"sound":{"critical":1,"name":"default","volume":1}},"x":{"aps":1}}"#),
        Row(
            .alert,
            #"{"aps":{"alert":{"title-loc-key":"a","title-loc-args":["b"]},"new-key":[1],"relevance-score":1}}"#
        ),
        Row(.alert, #"{"aps":{"alert":"x","content-available":1,"mutable-content":1,"interruption-level":"whisper"}}"#),
        Row(.background, #"{"aps":{"content-available":1},"custom":true}"#),
        Row(.widgets, #"{"aps":{"content-changed":true}}"#), Row(.controls, #"{"aps":{"content-changed":true}}"#),
        Row(.voip, #"{"call":1}"#), Row(.voip, #"{"aps":"anything"}"#), Row(.complication, "{}"),
        Row(.location, #"{"q":1}"#), Row(.pushtotalk, #"{"activeSpeaker":"x"}"#),
        Row(.fileprovider, #"{"container-identifier":"c","domain":"d"}"#), Row(.mdm, #"{"mdm":"magic"}"#),
        Row(.liveactivity, #"{"aps":{"timestamp":1,"event":"end"}}"#),
        Row(.liveactivity, #"{"aps":{"timestamp":1.5,"event":"update","content-state":{},"relevance-score":-9.5}}"#),
    ]

    @Test("a payload that fits its type passes", arguments: good)
    func fits(row: Row) throws {
        #expect(try self.failures(row) == [])
    }

    static let ordinary: [Row] = [
        Row(.alert, "{}", "aps: expected an object for push type alert, got nothing"),
        Row(.alert, #"{"aps":[]}"#, "aps: expected an object, got a list of 0"),
        Row(
            .alert,
            #"{"aps":{"content-available":1}}"#,
            "aps: expected alert, badge or sound for push type alert, got none of them"
        ),
        Row(
            .alert,
            #"{"aps":{"alert":7,"badge":-1,"sound":null,"thread-id":1,"mutable-content":2,"relevance-score":1.5}}"#,
            "aps.alert: expected a string or an object, got 7",
            "aps.badge: expected a whole number, 0 or more, got -1",
            "aps.sound: expected a string or an object, got null",
            "aps.thread-id: expected a string, got 1",
            "aps.mutable-content: expected 1, got 2",
            "aps.relevance-score: expected 0...1, got 1.5"
        ),
        Row(
            .alert,
            #"{"aps":{"alert":{"title":{"loc-key":"x"},"loc-args":"a","title-loc-args":[1]},"sound":{"volume":2}}}"#,
            "aps.alert.title: expected a string, got an object of 1",
            "aps.alert.title-loc-args: expected a list of strings, got a list of 1",
            "aps.alert.loc-args: expected a list of strings, got a string of 1 characters",
            "aps.sound.volume: expected 0...1, got 2"
        ),
        Row(
            .background,
            #"{"aps":{"content-available":1,"sound":"","alert":"x"}}"#,
            "aps.alert: expected only content-available for push type background, got another key",
            "aps.sound: expected only content-available for push type background, got another key"
        ),
        Row(
            .background,
            #"{"aps":{"content-available":0}}"#,
            "aps.content-available: expected 1 for push type background, got 0"
        ),
        Row(
            .background,
            #"{"aps":{}}"#,
            "aps.content-available: expected 1 for push type background, got nothing"
        ),
        Row(.widgets, #"{"aps":{}}"#, "aps.content-changed: expected true for push type widgets, got nothing"),
        Row(.controls, #"{"aps":{"content-changed":1}}"#, "aps.content-changed: expected true or false, got 1"),
        Row(
            .controls,
            #"{"aps":{"content-changed":false}}"#,
            "aps.content-changed: expected true for push type controls, got false"
        ),
        Row(.mdm, "{}", "mdm: expected a string for push type mdm, got nothing"),
        Row(.fileprovider, #"{"container-identifier":1}"#, "container-identifier: expected a string, got 1"),
    ]

    @Test("a payload that does not fit is refused with field, rule and value", arguments: ordinary)
    func doesNotFit(row: Row) throws {
        #expect(try self.failures(row) == row.failures)
    }

    static let liveActivities: [Row] = [
        Row(
            .liveactivity,
            #"{"aps":{}}"#,
            "aps.timestamp: expected seconds since 1970 for push type liveactivity, got nothing",
            "aps.event: expected start, update or end, got nothing"
        ),
        Row(
            .liveactivity,
            #"{"aps":{"timestamp":1754982000000,"event":"stop"}}"#,
            "aps.timestamp: expected seconds since 1970, got 1754982000000",
            "aps.event: expected start, update or end, got a string of 4 characters"
        ),
        Row(
            .liveactivity,
            #"{"aps":{"timestamp":1,"event":"start","attributes-type":"A","attributes":{},"content-state":{}}}"#,
            "aps.alert: expected an object for push type liveactivity, got nothing"
        ),
        Row(
            .liveactivity,
            #"{"aps":{"timestamp":1,"event":"start","alert":"x"}}"#,
            "aps.attributes-type: expected a string for push type liveactivity, got nothing",
            "aps.attributes: expected an object for push type liveactivity, got nothing",
            "aps.content-state: expected an object for push type liveactivity, got nothing",
            "aps.alert: expected an object, got a string of 1 characters"
        ),
        Row(
            .liveactivity,
            #"{"aps":{"timestamp":1,"event":"update","stale-date":"soon","input-push-token":5}}"#,
            "aps.stale-date: expected seconds since 1970, got a string of 4 characters",
            "aps.input-push-token: expected 1, got 5",
            "aps.content-state: expected an object for push type liveactivity, got nothing"
        ),
        Row(
            .liveactivity,
            #"{"aps":{"timestamp":-1,"event":"end","content-state":[],"dismissal-date":-5,"relevance-score":"x"}}"#,
            "aps.timestamp: expected seconds since 1970, got -1",
            "aps.relevance-score: expected a number, got a string of 1 characters",
            "aps.dismissal-date: expected seconds since 1970, got -5",
            "aps.content-state: expected an object, got a list of 0"
        ),
        Row(
            .liveactivity,
            #"{"aps":{"timestamp":1,"event":"end","alert":{"title":{"loc-args":["a",1]},"body":7,"sound":{}}}}"#,
            "aps.alert.sound: expected a string, got an object of 0",
            "aps.alert.title.loc-key: expected a string for push type liveactivity, got nothing",
            "aps.alert.title.loc-args: expected a list of strings, got a list of 2",
            "aps.alert.body: expected a string or an object, got 7"
        ),
    ]

    @Test("a Live Activity push that the device would drop is refused", arguments: liveActivities)
    func dropped(row: Row) throws {
        #expect(try self.failures(row) == row.failures)
    }

    @Test("failures of headers, size and payload are reported together")
    func together() throws {
        let headers = NotificationHeaders(
            topic: try Topic("com.example.app"),
            pushType: .background,
            priority: .immediate
        )
        let payload = try APNsPayload(aps: .background, custom: ["x": .string(String(repeating: "a", count: 5000))])
        #expect(headers.validate(payload: payload).map(\.field) == ["apns-priority", "payload"])
        let both = try APNsPayload(aps: APS(alert: "x", contentAvailable: true))
        #expect(headers.validate(payload: both).map(\.field) == ["apns-priority", "aps.alert"])
    }
}
