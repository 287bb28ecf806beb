// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// One request to a webhook's receiver, kept for its owner to look at.
public struct WebhookDeliveryAttempt: Hashable, Sendable {
    /// The `webhook-id` of the request; an attempt that repeats it has the same.
    public var message: String

    /// When it was sent; kept to the millisecond.
    public var time: Date

    public var first: EventCursor
    public var last: EventCursor
    public var count: Int

    /// Which attempt it was, from 1.
    public var attempt: Int

    public var response: WebhookAttemptResult

    public init(
        message: String,
        time: Date,
        first: EventCursor,
        last: EventCursor,
        count: Int,
        attempt: Int,
        response: WebhookAttemptResult
    ) {
        self.message = message
        self.time = time
        self.first = first
        self.last = last
        self.count = count
        self.attempt = attempt
        self.response = response
    }
}
