// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import SNSProtocol

@Suite("Events of endpoints")
struct EndpointEventTests {
    private static func event(_ kind: EndpointEvent.Kind) throws -> EndpointEvent {
        EndpointEvent(kind, of: try EndpointARN(TestCall.endpoint, region: nil), time: 1_335_920_046_055)
    }

    @Test("a failure tells the endpoint, the reason and the message")
    func failure() throws {
        let event = try Self.event(.deliveryFailure(.invalidPlatformToken, messageID: "m", attempts: 1))
        let object = try JSONSerialization.jsonObject(with: Data(event.message.utf8)) as? [String: Any]
        #expect(object?["DeliveryAttempts"] as? Int == 1)
        let texts = object?.compactMapValues { $0 as? String }
        #expect(
            texts == [
                "EventType": "DeliveryFailure", "EndpointArn": TestCall.endpoint, "Resource": TestCall.application,
                "FailureType": "InvalidPlatformToken", "MessageId": "m", "Service": "SNS",
                "FailureMessage": "Platform token associated with the endpoint is not valid",
                "Time": "2012-05-02T00:54:06.055Z",
            ]
        )
    }

    @Test(
        "each event goes to the topic of its own attribute",
        arguments: [
            (.created, "EndpointCreated"), (.updated, "EndpointUpdated"), (.deleted, "EndpointDeleted"),
            (.deliveryFailure(.permanent, messageID: "m", attempts: 0), "DeliveryFailure"),
        ] as [(EndpointEvent.Kind, String)]
    )
    func attribute(kind: EndpointEvent.Kind, type: String) throws {
        let event = try Self.event(kind)
        #expect(event.attributeName == "Event\(type)")
        #expect(ApplicationAttributes.eventNames.contains(event.attributeName))
        #expect(event.message.hasPrefix(#"{"EventType":"\#(type)","EndpointArn":"\#(TestCall.endpoint)","#))
    }
}
