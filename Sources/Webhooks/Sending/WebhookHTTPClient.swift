// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
import Synchronization

/// Requests to one receiver, over one address that was checked, and over connections that stay open between them.
package final class WebhookHTTPClient: Sendable {
    private let sender: WebhookSender
    private let url: WebhookURL
    private let connection = Mutex<PinnedAddressClient?>(nil)

    /// A line to a receiver; nothing is connected yet.
    ///
    /// Call ``close()`` in the end.
    package init(to url: WebhookURL, by sender: WebhookSender) {
        self.url = url
        self.sender = sender
    }

    /// Posts a request; several may be on their way at once.
    package func post(_ request: () throws -> HTTPPostRequest) async -> WebhookAttemptResult {
        let start = ContinuousClock().now
        var answer = WebhookAttemptResult()
        do {
            let request = try request()
            let (status, excerpt) = try await self.sender.withDeadline {
                try await self.open().post(request)
            }
            answer.status = status
            answer.excerpt = answer.isSuccess ? nil : excerpt
        } catch {
            let failure = WebhookRequestError(error)
            answer.failure = failure.code
            answer.excerpt = String(failure.message.prefix(200))
        }
        answer.duration = ContinuousClock().now - start
        return answer
    }

    /// Closes the connection; no request may follow.
    package func close() async { await self.connection.withLock { $0 }?.close() }

    private func open() async throws -> PinnedAddressClient {
        if let connection = self.connection.withLock({ $0 }) { return connection }
        let made = try await self.sender.connect(to: self.url)
        let standing = self.connection.withLock { connection in
            if connection == nil { connection = made }
            return connection
        }
        // Another request was faster.
        if let standing, standing !== made {
            await made.close()
            return standing
        }
        return made
    }
}
