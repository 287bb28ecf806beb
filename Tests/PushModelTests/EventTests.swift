// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import PushModel
import Testing

@Suite("Events")
struct EventTests {
    @Test(
        "a cursor's text is read back as it was written",
        arguments: [
            EventCursor.beginning, EventCursor(sequence: 17), EventCursor(epoch: 3, sequence: 0),
            EventCursor(epoch: .max, sequence: .max),
        ]
    )
    func cursors(cursor: EventCursor) {
        #expect(EventCursor(cursor.description) == cursor)
    }

    @Test(
        "what is no cursor is refused",
        arguments: ["", "-", "1-", "-1", "1-2-3", "a", " 1", "+1", "99999999999999999999"]
    )
    func badCursors(text: String) {
        #expect(EventCursor(text) == nil)
    }

    @Test("cursors are ordered by their epoch first")
    func order() {
        let cursors = [(0, 1), (0, 9), (1, 0), (2, 5), (2, 6)].map { EventCursor(epoch: $0.0, sequence: $0.1) }
        #expect(cursors.shuffled().sorted() == cursors)
    }

    @Test("every kind of this version is one that callers may name")
    func kinds() throws {
        for kind in EventType.known { #expect(try EventType(validating: kind.rawValue) == kind) }
        #expect(Set(EventType.known).count == EventType.known.count)
        #expect(!EventType.known.contains(.webhookTest))
        #expect(throws: InvalidValueError.self) { try EventType(validating: "Device.invalidated") }
    }

    @Test("an event is written with its place, app, time, kind and data")
    func json() throws {
        let event = Event(
            cursor: EventCursor(epoch: 2, sequence: 7),
            app: "com.example.app",
            time: TestDateSource.beginning,
            kind: .deviceSuspected,
            data: ["device": "phone"]
        )
        let text = String(decoding: try event.json.json(), as: UTF8.self)
        #expect(
            text == #"{"app":"com.example.app","data":{"device":"phone"},"id":"2-7","#
                + #""time":"2026-01-01T00:00:00.000Z","type":"device.suspected"}"#
        )
    }
    @Test("an item of work that is quarantined is an event of its app, and none if it belongs to no app")
    func quarantined() {
        func item(app: AppID?) -> QuarantinedItem {
            QuarantinedItem(
                number: 7,
                kind: .jobRun,
                item: "a",
                app: app,
                reason: .interrupted,
                time: TestDateSource.beginning
            )
        }
        let event = NewEvent.quarantined(item(app: "com.example.app"))
        #expect(event?.kind == .workQuarantined)
        #expect(event?.app == "com.example.app")
        #expect(event?.time == TestDateSource.beginning)
        #expect(event?.data == ["type": "job_run", "item": "a", "reason": "interrupted"])
        #expect(NewEvent.quarantined(item(app: nil)) == nil)
    }
}
