// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What signs requests to the SNS endpoint: the secret half of an access key.
///
/// Whoever verifies such a signature needs the secret itself, not its hash; so it is kept sealed by the master key.
public struct SigningSecret: Hashable, Sendable {
    /// The written form: 40 letters, digits, `+` and `/`.
    ///
    /// It is the secret itself: show it once, log it never.
    public let text: String

    init(text: String) {
        self.text = text
    }

    /// Draws a new secret of 30 random bytes from the system's random numbers.
    public static func generate() -> SigningSecret {
        SigningSecret(text: Data((0..<30).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString())
    }
}

extension SigningSecret: CustomStringConvertible, CustomDebugStringConvertible {
    /// A constant, so that no log ever holds the secret.
    public var description: String { "signing secret (redacted)" }

    /// See ``description``.
    public var debugDescription: String { self.description }
}
