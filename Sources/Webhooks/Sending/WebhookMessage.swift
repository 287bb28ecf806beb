// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import AsyncHTTPClient
import Foundation
import NIOCore
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
        self.timestamp = Int64(clamping: now.timeIntervalSince1970.rounded(.down))
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

/// Signed requests to the receiver of one webhook in a row, over one connection where that stays open.
struct WebhookPost: Sendable {
    private let sender: WebhookSender
    private let webhook: Webhook
    private let line: ReceiverLine

    init(sender: WebhookSender, webhook: Webhook) {
        self.sender = sender
        self.webhook = webhook
        self.line = ReceiverLine(to: webhook.url, by: sender)
    }

    /// Posts events as one message.
    ///
    /// - Returns: what the receiver said, or why it said nothing.
    func send(id: String, events: [Event]) async -> WebhookAnswer {
        await self.line.post {
            let secret = try self.sender.secret(of: self.webhook)
            return try self.sender.message(id: id, events: events, secret: secret).request
        }
    }

    /// Closes the connection; no request may follow.
    func close() async {
        await self.line.close()
    }
}
