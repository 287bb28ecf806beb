// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// An event of an endpoint, for the topic that its application names.
package struct EndpointEvent: Hashable, Sendable {
    /// The type of the event.
    package enum Kind: Hashable, Sendable {
        case created
        /// Its attributes have changed.
        case updated
        case deleted
        /// A message did not reach it, and never will.
        ///
        /// `messageID` is `nil` if it is unknown. `reason` is given by the platform or the server, if it says more than
        /// the kind of failure.
        case deliveryFailure(Failure, messageID: String? = nil, reason: String? = nil)
    }

    /// Why a message did not reach an endpoint.
    package enum Failure: String, Hashable, Sendable, CaseIterable {
        /// Apple does not know the token, or no longer.
        case invalidPlatformToken = "InvalidPlatformToken"
        /// Apple refused it for another reason.
        case permanent = "DeliveryFailedPerm"
        /// The endpoint was disabled.
        case endpointDisabled = "EndpointDisabled"
        /// Its lifetime had passed.
        case lifetimeExpired = "NotificationTTLExpired"

        var message: String {
            switch self {
            case .invalidPlatformToken: "Platform token associated with the endpoint is not valid"
            case .permanent: "The notification was refused or could not be sent"
            case .endpointDisabled: "Endpoint is disabled"
            case .lifetimeExpired: "The notification's time to live has expired"
            }
        }
    }

    package let endpoint: EndpointARN
    package let kind: Kind
    /// When, in milliseconds since 1970.
    package let time: Int64

    package init(_ kind: Kind, of endpoint: EndpointARN, time: Int64) {
        self.kind = kind
        self.endpoint = endpoint
        self.time = time
    }

    /// The attribute of the application that names the topic.
    package var attributeName: String {
        switch self.kind {
        case .created: "EventEndpointCreated"
        case .updated: "EventEndpointUpdated"
        case .deleted: "EventEndpointDeleted"
        case .deliveryFailure: "EventDeliveryFailure"
        }
    }

    /// The text of the message to the topic: JSON.
    package var message: String {
        var writer = JSONWriter()
        writer.beginObject()
        let type = self.attributeName.replacing("Event", with: "", maxReplacements: 1)
        writer.members([("EventType", type), ("EndpointArn", self.endpoint.description)])
        if case .deliveryFailure(let failure, let messageID, let reason) = self.kind {
            let message = reason.map { "\(failure.message): \($0)" } ?? failure.message
            writer.members([("FailureType", failure.rawValue), ("FailureMessage", message)])
            if let messageID { writer.members([("MessageId", messageID)]) }
        }
        writer.members([
            ("Resource", self.endpoint.application.description), ("Service", "SNS"),
            ("Time", SNSTimestamp.text(milliseconds: self.time)),
        ])
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
