// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The result of one request to a webhook, or of skipped events.
public struct WebhookDeliveryUpdate: Hashable, Sendable {
    /// A request that was not answered as it should be.
    public struct Failure: Hashable, Sendable {
        /// The last event of the request.
        public var cursor: EventCursor

        /// Whether the receiver said that it is gone for good (410).
        public var isGone: Bool

        public var retryAfter: Duration

        /// After how long without a success the webhook is disabled.
        public var disableAfter: Duration

        public init(cursor: EventCursor, isGone: Bool, retryAfter: Duration, disableAfter: Duration) {
            self.cursor = cursor
            self.isGone = isGone
            self.retryAfter = retryAfter
            self.disableAfter = disableAfter
        }
    }

    /// The result.
    public enum Result: Hashable, Sendable {
        /// The receiver has taken all up to there, or there was nothing for it.
        case advanced(to: EventCursor)

        case failed(Failure)
    }

    public var webhook: WebhookID
    public var worker: WorkerID
    public var result: Result

    /// The request, for the list of recent ones; `nil` when none was made.
    public var delivery: WebhookDeliveryAttempt?

    /// The extension of the worker's lease; `nil` releases it.
    public var leaseDuration: Duration?

    public init(
        webhook: WebhookID,
        worker: WorkerID,
        result: Result,
        delivery: WebhookDeliveryAttempt? = nil,
        leaseDuration: Duration? = nil
    ) {
        self.webhook = webhook
        self.worker = worker
        self.result = result
        self.delivery = delivery
        self.leaseDuration = leaseDuration
    }
}
