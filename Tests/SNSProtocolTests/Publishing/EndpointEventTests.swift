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
        let event = try Self.event(.deliveryFailure(.invalidPlatformToken, messageID: "m"))
        let object = try JSONSerialization.jsonObject(with: Data(event.message.utf8)) as? [String: Any]
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

    @Test("a failure for another reason names it")
    func reason() throws {
        let event = try Self.event(.deliveryFailure(.permanent, messageID: "m", reason: "PayloadTooLarge"))
        let object = try JSONSerialization.jsonObject(with: Data(event.message.utf8)) as? [String: Any]
        #expect(object?["FailureType"] as? String == "DeliveryFailedPerm")
        let message = "The notification was refused or could not be sent: PayloadTooLarge"
        #expect(object?["FailureMessage"] as? String == message)
    }

    @Test(
        "each event goes to the topic of its own attribute",
        arguments: [
            (.created, "EndpointCreated"), (.updated, "EndpointUpdated"), (.deleted, "EndpointDeleted"),
            (.deliveryFailure(.permanent, messageID: "m"), "DeliveryFailure"),
        ] as [(EndpointEvent.Kind, String)]
    )
    func attribute(kind: EndpointEvent.Kind, type: String) throws {
        let event = try Self.event(kind)
        #expect(event.attributeName == "Event\(type)")
        #expect(ApplicationAttributes.eventNames.contains(event.attributeName))
        #expect(event.message.hasPrefix(#"{"EventType":"\#(type)","EndpointArn":"\#(TestCall.endpoint)","#))
    }
}
