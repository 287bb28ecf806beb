// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// One request to a receiver: its body and the headers that prove where it comes from.
///
/// The headers are those of the Standard Webhooks convention: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
struct WebhookMessage: Hashable, Sendable {
    /// The same for every attempt to post the same events.
    let id: String

    /// `{"events": [...]}` in UTF-8.
    let body: [UInt8]

    /// The `webhook-timestamp`: when this attempt is made, in seconds since 1970.
    let timestamp: Int64

    let signature: String

    /// Writes and signs a request.
    ///
    /// - Throws: `ValidationFailure` for an event that cannot be written.
    init(id: String, events: [JSONValue], secret: WebhookSecret, now: Date) throws(ValidationFailure) {
        let value: JSONValue = ["events": .array(events)]
        self.id = id
        self.body = try value.json()
        self.timestamp = Int64(now.timeIntervalSince1970.rounded(.down))
        self.signature = secret.signature(id: id, timestamp: self.timestamp, body: self.body)
    }

    var request: PostRequest {
        PostRequest(
            fields: [
                .init("content-type", "application/json"), .init("user-agent", "Apus-Webhooks/1"),
                .init("webhook-id", self.id), .init("webhook-timestamp", String(self.timestamp)),
                .init("webhook-signature", self.signature),
            ],
            body: self.body
        )
    }

    /// The id of a request that brings a webhook some events of the feed.
    static func id(of webhook: WebhookID, first: EventCursor, last: EventCursor) -> String {
        "msg_\(webhook)_\(first)_\(last)"
    }
}

/// What is posted to a receiver: header fields and a body.
package struct PostRequest: Hashable, Sendable {
    /// A header field.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The header fields, beside those that speak of the connection and of the body's length.
    package let fields: [Field]

    package let body: [UInt8]

    package init(fields: [Field], body: [UInt8]) {
        self.fields = fields
        self.body = body
    }
}
