// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation

/// The secret that signs a webhook's requests, as in the Standard Webhooks specification.
///
/// Its text is `whsec_` and the Base64 of 32 random bytes.
public struct WebhookSecret: Hashable, Sendable {
    private static let prefix = "whsec_"
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Draws a new secret from the system's random numbers.
    public static func generate() -> WebhookSecret {
        WebhookSecret(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// The written form.
    ///
    /// It is the secret itself: show it once, log it never.
    public var text: String { Self.prefix + Data(self.bytes).base64EncodedString() }

    /// The value of `webhook-signature`: `v1,` and the Base64 of an HMAC-SHA256.
    ///
    /// It signs `id.timestamp.body`; the timestamp is in seconds since 1970.
    public func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: self.bytes))
        code.update(data: Data("\(id).\(timestamp).".utf8))
        code.update(data: body)
        return "v1," + Data(code.finalize()).base64EncodedString()
    }
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible {
    /// A constant, so that no log ever holds the secret.
    public var description: String { "webhook secret (redacted)" }

    public var debugDescription: String { self.description }
}
