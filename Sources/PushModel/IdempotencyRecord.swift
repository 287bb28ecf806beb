// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
public import Foundation

/// A request that was carried out, with the answer for its repetitions.
public struct IdempotencyRecord: Hashable, Sendable {
    public static let lifetime: Duration = .seconds(24 * 3600)

    /// The response to the caller.
    public struct Answer: Hashable, Sendable {
        /// The HTTP status.
        public var status: Int

        /// The `Location` header, or `nil`.
        public var location: String?

        /// The body, byte for byte.
        public var body: [UInt8]

        public init(status: Int, location: String? = nil, body: [UInt8]) {
            self.status = status
            self.location = location
            self.body = body
        }
    }

    public let slot: ScopedIdempotencyKey

    /// SHA-256 of all parts that identify the request.
    public let requestHash: [UInt8]

    /// The accepted notification; an unused ID if nothing was sent.
    public let notification: NotificationID

    public var answer: Answer

    /// When it was carried out; kept to the millisecond.
    public let createdAt: Date

    public init(
        slot: ScopedIdempotencyKey,
        requestHash: [UInt8],
        notification: NotificationID,
        answer: Answer,
        createdAt: Date
    ) {
        self.slot = slot
        self.requestHash = requestHash
        self.notification = notification
        self.answer = answer
        self.createdAt = createdAt
    }
}

extension IdempotencyRecord {
    /// SHA-256 of the parts of a request; how they are divided counts.
    public static func hash(_ parts: [[UInt8]]) -> [UInt8] {
        var hash = SHA256()
        for part in parts {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: part)
        }
        return Array(hash.finalize())
    }
}

/// The key of a stored response: it includes the caller, so that callers cannot collide.
public struct ScopedIdempotencyKey: Hashable, Sendable {
    public let app: AppID
    public let apiKey: APIKeyID
    public let key: IdempotencyKey

    public init(app: AppID, apiKey: APIKeyID, key: IdempotencyKey) {
        self.app = app
        self.apiKey = apiKey
        self.key = key
    }
}

/// Names one request, so that its repetition is known as such; chosen by the caller.
public struct IdempotencyKey: TextIdentifier {
    /// The header in which it comes.
    public static let field = "Idempotency-Key"

    public static let rule = "1 to 255 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool { text.isPlain(bytes: 1...255) }
}
