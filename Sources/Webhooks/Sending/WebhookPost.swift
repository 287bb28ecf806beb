// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// Requests to one receiver in a row, over one connection where that stays open.
final class WebhookPost: Sendable {
    private let sender: WebhookSender
    private let webhook: Webhook
    private let connection = Mutex<WebhookConnection?>(nil)

    init(sender: WebhookSender, webhook: Webhook) {
        self.sender = sender
        self.webhook = webhook
    }

    /// Posts events as one message.
    ///
    /// - Returns: what the receiver said, or why it said nothing.
    func send(id: String, events: [Event]) async -> WebhookAnswer {
        let start = ContinuousClock().now
        var answer = WebhookAnswer()
        do {
            let secret = try self.sender.secret(of: self.webhook)
            let message = try self.sender.message(id: id, events: events, secret: secret)
            let (status, excerpt) = try await self.sender.withDeadline {
                try await self.open().post(message)
            }
            answer.status = status
            answer.excerpt = answer.isSuccess ? nil : excerpt
        } catch {
            let failure = WebhookFailure(error)
            answer.failure = failure.code
            answer.excerpt = String(failure.message.prefix(200))
        }
        answer.duration = ContinuousClock().now - start
        return answer
    }

    /// Closes the connection; no request may follow.
    func close() async {
        await self.connection.withLock { $0 }?.close()
    }

    private func open() async throws -> WebhookConnection {
        if let connection = self.connection.withLock({ $0 }) { return connection }
        let connection = try await self.sender.connect(to: self.webhook.url)
        self.connection.withLock { $0 = connection }
        return connection
    }
}
