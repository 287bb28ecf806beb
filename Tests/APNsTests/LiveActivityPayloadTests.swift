// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@Suite("Payloads of Live Activities")
struct LiveActivityPayloadTests {
    private struct State: Codable {
        var emoji: String
        var until: Date
        var blob: Data
        var link: URL
    }

    @Test("a start carries attributes, state and alert, and asks for a token")
    func start() throws {
        let event = LiveActivityEvent.start(
            LiveActivityStart(
                timestamp: 1_754_982_000,
                attributesType: "AdventureAttributes",
                attributes: try RawJSONObject(["hero": "Panda"]),
                contentState: try RawJSONObject(json: #"{"level": 1}"#),
                alert: LiveActivityAlert(
                    title: .localized(key: "%@ begins", arguments: ["Panda"]),
                    body: "Tap",
                    sound: "chime.aiff"
                ),
                staleDate: 1_754_985_600,
                relevanceScore: 75,
                input: .token
            )
        )
        #expect(
            try APNsPayload(liveActivity: event, custom: ["id": 7]).text
                == #"{"aps":{"timestamp":1754982000,"event":"start","content-state":{"level": 1},"#
                + #""attributes-type":"AdventureAttributes","attributes":{"hero":"Panda"},"alert":{"title":"#
                + #"{"loc-key":"%@ begins","loc-args":["Panda"]},"body":"Tap","sound":"chime.aiff"},"#
                + #""stale-date":1754985600,"relevance-score":75,"input-push-token":1},"id":7}"#
        )
    }

    @Test("a start may subscribe to a channel instead")
    func channel() throws {
        let start = LiveActivityStart(
            timestamp: 1,
            attributesType: "A",
            attributes: try RawJSONObject([:]),
            contentState: try RawJSONObject([:]),
            alert: LiveActivityAlert(title: "t", body: .localized(key: "b")),
            input: .channel("dHN0LXNyY2gtY2hubA==")
        )
        #expect(
            try APNsPayload(liveActivity: .start(start)).text
                == #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"A","attributes":{},"#
                + #""alert":{"title":"t","body":{"loc-key":"b"}},"input-push-channel":"dHN0LXNyY2gtY2hubA=="}}"#
        )
    }

    @Test("an update carries state and nothing that it need not")
    func update() throws {
        let update = LiveActivityUpdate(
            timestamp: 2,
            contentState: try RawJSONObject(["b": 1, "a": 2]),
            relevanceScore: -3.5
        )
        #expect(
            try APNsPayload(liveActivity: .update(update)).text
                == #"{"aps":{"timestamp":2,"event":"update","content-state":{"a":2,"b":1},"relevance-score":-3.5}}"#
        )
    }

    @Test("an end needs no state and may say when to leave the Lock Screen")
    func end() throws {
        #expect(
            try APNsPayload(liveActivity: .end(LiveActivityEnd(timestamp: 3, dismissalDate: 0))).text
                == #"{"aps":{"timestamp":3,"event":"end","dismissal-date":0}}"#
        )
        let state = try RawJSONObject(["done": true])
        #expect(
            try APNsPayload(liveActivity: .end(LiveActivityEnd(timestamp: 3, contentState: state))).text
                == #"{"aps":{"timestamp":3,"event":"end","content-state":{"done":true}}}"#
        )
    }

    @Test("a state of the app's own type is encoded the way the device decodes it")
    func encodable() throws {
        let state = State(
            emoji: "🎉",
            until: Date(timeIntervalSinceReferenceDate: 800_000_000.5),
            blob: Data([1, 2, 3]),
            link: try #require(URL(string: "https://example.com/a"))
        )
        let fragment = try RawJSONObject(encoding: state)
        #expect(
            String(decoding: fragment.bytes, as: UTF8.self)
                == #"{"blob":"AQID","emoji":"🎉","link":"https://example.com/a","until":800000000.5}"#
        )
        let decoded = try JSONDecoder().decode(State.self, from: Data(fragment.bytes))
        #expect(decoded.until == state.until)
    }

    @Test("a state that is no object, or that JSON cannot hold, is refused")
    func badState() throws {
        #expect(throws: InvalidValueError.self) { try RawJSONObject(encoding: [1, 2]) }
        let failure = try #require(throws: InvalidValueError.self) {
            try RawJSONObject(encoding: ["x": Double.nan], field: "content-state")
        }
        #expect(failure.field == "content-state")
        #expect(failure.rule == "a value that JSON can hold")
        #expect(throws: InvalidValueError.self) { try RawJSONObject(json: "[1]") }
        #expect(throws: InvalidValueError.self) { try RawJSONObject(json: "{]") }
        let update = LiveActivityUpdate(timestamp: 1, contentState: try RawJSONObject([:]), relevanceScore: .infinity)
        #expect(throws: InvalidValueError.self) { try APNsPayload(liveActivity: .update(update)) }
    }

    @Test("every payload that the builder makes passes validation")
    func valid() throws {
        let state = try RawJSONObject([:])
        let alert = LiveActivityAlert(title: .localized(key: "k", arguments: ["a"]), body: "b")
        let events: [LiveActivityEvent] = [
            .start(
                LiveActivityStart(
                    timestamp: 1,
                    attributesType: "A",
                    attributes: state,
                    contentState: state,
                    alert: alert,
                    input: .token
                )
            ),
            .update(
                LiveActivityUpdate(timestamp: 1, contentState: state, alert: alert, staleDate: 5, relevanceScore: 99)
            ),
            .end(LiveActivityEnd(timestamp: 1, dismissalDate: 2)),
        ]
        let headers = NotificationHeaders(
            topic: try Topic(bundleID: "com.example.app", pushType: .liveactivity),
            pushType: .liveactivity
        )
        for event in events { #expect(headers.validate(payload: try APNsPayload(liveActivity: event)).isEmpty) }
    }
}
