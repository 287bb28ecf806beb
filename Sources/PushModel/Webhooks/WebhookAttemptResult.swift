// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The response of a webhook, or the reason why there was none.
public struct WebhookAttemptResult: Hashable, Sendable {
    /// Why there was no answer.
    public struct Failure: RawRepresentable, Hashable, Sendable, Codable {
        /// The name in API responses and in the store.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There was no answer in time.
        public static let deadline = Failure(rawValue: "timeout")

        /// No connection could be made, or it broke.
        public static let connection = Failure(rawValue: "connection_failed")

        /// The receiver's certificate is not trusted, or the handshake failed.
        public static let tls = Failure(rawValue: "tls")

        /// The host's name leads to no address.
        public static let unresolved = Failure(rawValue: "unresolved")

        /// The host's name leads to addresses of private networks alone.
        public static let privateAddress = Failure(rawValue: "private_address")

        /// The secret cannot be opened with this master key.
        public static let secret = Failure(rawValue: "secret")

        /// The server is not able to post anything.
        public static let unavailable = Failure(rawValue: "unavailable")
    }

    /// The HTTP status, where there was an answer.
    public var status: Int?

    public var failure: Failure?

    /// The start of the response body, or the error, in at most 200 characters.
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
