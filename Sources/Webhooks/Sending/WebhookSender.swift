// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
import AsyncHTTPClient
package import Foundation
import NIOCore
package import PushModel

/// Posts to receivers, each request within its deadline and to addresses alone that may be connected to.
package struct WebhookSender: Sendable {
    private(set) var configuration: WebhookConfiguration
    private let masterKey: MasterKey?
    private let resolver: any HostResolver
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date

    /// Without `masterKey`, every webhook fails, because its secret cannot be opened.
    package init(
        masterKey: MasterKey?,
        configuration: WebhookConfiguration = WebhookConfiguration(),
        resolver: any HostResolver = SystemResolver(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.masterKey = masterKey
        self.configuration = configuration
        self.resolver = resolver
        self.clock = clock
        self.now = now
    }

    /// Sends an event of the type `webhook.test`, regardless of the webhook's state and types.
    package func test(_ webhook: Webhook) async -> WebhookAttemptResult {
        await self.call(
            webhook,
            id: "msg_test_\(APNsID.random())",
            kind: .webhookTest,
            data: ["webhook": .string(webhook.id.rawValue)],
            deadline: self.configuration.deadline
        )
    }

    /// Sends one event to a webhook, regardless of the webhook's state and types.
    ///
    /// `id` is the `webhook-id`, which is the same for every attempt. `data` is an object. The complete request must
    /// end within the `deadline`.
    package func call(
        _ webhook: Webhook,
        id: String,
        kind: EventType,
        data: JSONValue,
        deadline: Duration
    ) async -> WebhookAttemptResult {
        var sender = self
        sender.configuration.deadline = deadline
        let event = Event(cursor: webhook.cursor, app: webhook.app, time: self.now(), kind: kind, data: data)
        let line = WebhookHTTPClient(to: webhook.url, by: sender)
        let answer = await line.post { [sender] in try sender.request(id: id, events: [event], to: webhook) }
        await line.close()
        return answer
    }

    /// Signs events for a webhook, by the Standard Webhooks convention.
    ///
    /// `id` is the `webhook-id`, the same for every attempt to post the same events. The `webhook-timestamp` is the
    /// time of this attempt, in seconds since 1970.
    func request(id: String, events: [Event], to webhook: Webhook) throws(WebhookRequestError) -> HTTPPostRequest {
        guard let masterKey else {
            throw WebhookRequestError(code: .secret, message: "The server was started without a master key.")
        }
        let secret: WebhookSecret
        do {
            secret = try masterKey.secret(of: webhook)
        } catch {
            throw WebhookRequestError(code: .secret, message: error.message)
        }
        let value: JSONValue = ["events": .array(events.map(\.json))]
        let body: [UInt8]
        do {
            body = try value.json()
        } catch {
            throw WebhookRequestError(code: .unavailable, message: error.message)
        }
        let timestamp = Int64(clamping: self.now().timeIntervalSince1970.rounded(.down))
        let fields = [
            ("content-type", "application/json"), ("user-agent", "Apus-Webhooks/1"), ("webhook-id", id),
            ("webhook-timestamp", String(timestamp)),
            ("webhook-signature", secret.signature(id: id, timestamp: timestamp, body: body)),
        ]
        return HTTPPostRequest(fields: fields, body: body)
    }

    func connect(to url: WebhookURL) async throws -> PinnedAddressClient {
        let addresses = try await self.resolver.addresses(of: url.host)
        let allowed = self.configuration.allowsPrivateNetworks ? addresses : addresses.filter(\.isPublic)
        guard let address = allowed.first else {
            guard addresses.isEmpty else {
                let message = "'\(url.host)' is on a private network. webhooks.allowPrivateNetworks allows that."
                throw WebhookRequestError(code: .privateAddress, message: message)
            }
            throw WebhookRequestError(code: .unresolved, message: "'\(url.host)' has no address.")
        }
        return try PinnedAddressClient(to: url, at: address, configuration: self.configuration)
    }

    func withDeadline<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                try await self.clock.sleep(for: self.configuration.deadline)
                return nil
            }
            guard let value = try await group.next() ?? nil else {
                let seconds = self.configuration.deadline / .seconds(1)
                throw WebhookRequestError(code: .deadline, message: "There was no response within \(seconds) s.")
            }
            return value
        }
    }
}

/// Why a request got no answer.
struct WebhookRequestError: Error {
    let code: WebhookAttemptResult.Failure

    /// The error, without a secret.
    let message: String
}

extension WebhookRequestError {
    init(_ error: any Error) {
        switch error {
        case let failure as WebhookRequestError: self = failure
        case let error as HTTPClientError where [.connectTimeout, .deadlineExceeded].contains(error):
            self.init(code: .deadline, message: "\(error)")
        case let error as HTTPClientError where error == .tlsHandshakeTimeout:
            self.init(code: .tls, message: "\(error)")
        case let error where "\(type(of: error))".contains("SSL"):
            self.init(code: .tls, message: "\(error)")
        default:
            self.init(code: .connection, message: "\(error)")
        }
    }
}
