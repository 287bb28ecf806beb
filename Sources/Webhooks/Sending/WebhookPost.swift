// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

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
