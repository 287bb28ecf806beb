// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@Suite("Values that Apple may add")
struct UnknownValueTests {
    private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode([Value].self, from: JSONEncoder().encode([value]))[0]
    }

    @Test("an unknown push type survives, has no rule and breaks none")
    func pushType() throws {
        let type = PushType(rawValue: "hologram")
        #expect(try self.roundTrip(type) == type)
        #expect(type.rule == nil)
        let headers = NotificationHeaders(
            topic: try Topic(bundleID: "com.example.app", pushType: type),
            pushType: type,
            priority: Priority(rawValue: 3)
        )
        #expect(headers.topic.rawValue == "com.example.app")
        #expect(headers.validate(payload: try APNsPayload(json: #"{"aps":7}"#)).isEmpty)
        #expect(headers.validate(payloadSize: 4097).map(\.field) == ["payload"])
    }

    @Test("an unknown priority survives")
    func priority() throws {
        let priority = Priority(rawValue: 7)
        #expect(try self.roundTrip(priority) == priority)
        #expect(priority.description == "7")
    }

    @Test("an unknown reason survives, and its status says what to do")
    func reason() throws {
        let rejection = Rejection(status: 400, body: Array(#"{"reason":"HologramTooBright"}"#.utf8))
        #expect(rejection.reason.rawValue == "HologramTooBright")
        #expect(rejection.reason.entry == nil)
        #expect(rejection.nextStep == .fixRequest)
        #expect(try self.roundTrip(rejection) == rejection)
    }

    @Test("an unknown header and an unknown interruption level survive")
    func others() throws {
        let header = RequestHeader(rawValue: "apns-hologram")
        #expect(try self.roundTrip(header) == header)
        #expect(header.rule == nil)
        let payload = try APNsPayload(aps: APS(interruptionLevel: InterruptionLevel(rawValue: "whisper")))
        #expect(payload.text == #"{"aps":{"interruption-level":"whisper"}}"#)
    }
}
