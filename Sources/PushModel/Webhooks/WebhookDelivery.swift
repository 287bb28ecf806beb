// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// One request to a webhook's receiver, kept for its owner to look at.
public struct WebhookDelivery: Hashable, Sendable {
    /// The `webhook-id` of the request; an attempt that repeats it has the same.
    public var message: String

    /// When it was sent; kept to the millisecond.
    public var time: Date

    public var first: EventCursor
    public var last: EventCursor
    public var count: Int

    /// Which attempt it was, from 1.
    public var attempt: Int

    public var answer: WebhookAnswer

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

/// What a webhook's receiver said to a request, or why it said nothing.
public struct WebhookAnswer: Hashable, Sendable {
    /// Why there was no answer.
    public struct Failure: RawRepresentable, Hashable, Sendable, Codable {
        /// The name as it stands in answers and in the store.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There was no answer in time.
        public static let deadline = Failure(rawValue: "deadline")

        /// No connection could be made, or it broke.
        public static let connection = Failure(rawValue: "connection")

        /// The receiver's certificate is not trusted, or the handshake failed.
        public static let tls = Failure(rawValue: "tls")

        /// The host's name leads to no address.
        public static let unresolved = Failure(rawValue: "unresolved")

        /// The host's name leads to addresses of private networks alone.
        public static let privateAddress = Failure(rawValue: "private-address")

        /// The secret cannot be opened with this master key.
        public static let secret = Failure(rawValue: "secret")

        /// The server is not able to post anything.
        public static let unavailable = Failure(rawValue: "unavailable")
    }

    /// The HTTP status, where there was an answer.
    public var status: Int?

    public var failure: Failure?

    /// The beginning of what the receiver said, or what went wrong, in at most 200 characters.
    public var excerpt: String?

    public var duration: Duration

    public init(
        status: Int? = nil,
        failure: Failure? = nil,
        excerpt: String? = nil,
        duration: Duration = .zero
    ) {
        self.status = status
        self.failure = failure
        self.excerpt = excerpt
        self.duration = duration
    }

    /// Whether the receiver has taken the events: any 2xx.
    public var isSuccess: Bool { self.status.map { (200..<300).contains($0) } ?? false }

    public var isGone: Bool { self.status == 410 }
}

/// What became of one request to a webhook's receiver, or of events that it does not get.
public struct WebhookSettlement: Hashable, Sendable {
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

    /// What became of it.
    public enum Result: Hashable, Sendable {
        /// The receiver has taken all up to there, or there was nothing for it.
        case advanced(to: EventCursor)

        case failed(Failure)
    }

    public var webhook: WebhookID
    public var worker: WorkerID
    public var result: Result

    /// The request, for the list of recent ones; `nil` when none was made.
    public var delivery: WebhookDelivery?

    /// How much longer the worker goes on with the webhook; `nil` gives the lease back.
    public var leaseDuration: Duration?

    public init(
        webhook: WebhookID,
        worker: WorkerID,
        result: Result,
        delivery: WebhookDelivery? = nil,
        leaseDuration: Duration? = nil
    ) {
        self.webhook = webhook
        self.worker = worker
        self.result = result
        self.delivery = delivery
        self.leaseDuration = leaseDuration
    }
}
