// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One request to a webhook's receiver, kept for its owner to look at.
public struct WebhookDelivery: Hashable, Sendable {
    /// The `webhook-id` of the request; an attempt that repeats it has the same.
    public var message: String

    /// When it was sent; kept to the millisecond.
    public var time: Date

    /// Its first event.
    public var first: EventCursor

    /// Its last event.
    public var last: EventCursor

    /// How many events it held.
    public var count: Int

    /// Which attempt it was, from 1.
    public var attempt: Int

    /// What came back.
    public var answer: WebhookAnswer

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - message: its `webhook-id`.
    ///   - time: when it was sent.
    ///   - first: its first event.
    ///   - last: its last event.
    ///   - count: how many events it held.
    ///   - attempt: which attempt it was, from 1.
    ///   - answer: what came back.
    public init(
        message: String,
        time: Date,
        first: EventCursor,
        last: EventCursor,
        count: Int,
        attempt: Int,
        answer: WebhookAnswer
    ) {
        self.message = message
        self.time = time
        self.first = first
        self.last = last
        self.count = count
        self.attempt = attempt
        self.answer = answer
    }
}
