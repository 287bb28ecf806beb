// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

/// A webhook as returned by the API; only the response to its creation has the secret.
struct WebhookResponse: Encodable {
    let id: String
    let app: String
    let url: String
    let eventTypes: [String]?
    let state: String
    let disabledReason: String?
    let disabledSince: Date?
    let cursor: String
    let consecutiveFailures: Int
    let failingSince: Date?
    let nextAttemptAt: Date?
    let droppedEvents: Int
    let createdAt: Date
    let secret: String?

    init(_ webhook: Webhook, secret: WebhookSecret? = nil) {
        self.id = webhook.id.rawValue
        self.app = webhook.app.rawValue
        self.url = webhook.url.text
        self.eventTypes = webhook.kinds.map { $0.sorted().map(\.rawValue) }
        switch webhook.state {
        case .active: (self.state, self.disabledReason, self.disabledSince) = ("active", nil, nil)
        case .paused: (self.state, self.disabledReason, self.disabledSince) = ("paused", nil, nil)
        case .disabled(let reason, let since):
            (self.state, self.disabledReason, self.disabledSince) = ("disabled", reason.rawValue, since)
        }
        self.cursor = webhook.cursor.description
        self.consecutiveFailures = webhook.consecutiveFailures
        self.failingSince = webhook.failingSince
        self.nextAttemptAt = webhook.consecutiveFailures > 0 && webhook.state == .active ? webhook.nextAttemptAt : nil
        self.droppedEvents = webhook.droppedEvents
        self.createdAt = webhook.createdAt
        self.secret = secret?.text
    }
}

/// The webhooks of an app, as returned by the API.
struct WebhookListResponse: Encodable {
    let webhooks: [WebhookResponse]
}

/// The response of a webhook, as returned by the API.
struct WebhookAttemptResultResponse: Encodable {
    let success: Bool
    let status: Int?
    let error: String?
    let bodyExcerpt: String?
    let durationMilliseconds: Int

    init(_ answer: WebhookAttemptResult) {
        self.success = answer.isSuccess
        self.status = answer.status
        self.error = answer.failure?.rawValue
        self.bodyExcerpt = answer.excerpt
        // A stored duration may be damaged.
        self.durationMilliseconds = Int(exactly: (answer.duration / .milliseconds(1)).rounded()) ?? .max
    }
}

/// One request to a receiver, as returned by the API.
struct WebhookDeliveryResponse: Encodable {
    let id: String
    let time: Date
    let first: String
    let last: String
    let count: Int
    let attempt: Int
    let response: WebhookAttemptResultResponse

    init(_ delivery: WebhookDeliveryAttempt) {
        self.id = delivery.message
        self.time = delivery.time
        self.first = delivery.first.description
        self.last = delivery.last.description
        self.count = delivery.count
        self.attempt = delivery.attempt
        self.response = WebhookAttemptResultResponse(delivery.response)
    }
}

/// The last requests to a receiver, as returned by the API.
struct WebhookDeliveryListResponse: Encodable {
    let deliveries: [WebhookDeliveryResponse]
}
