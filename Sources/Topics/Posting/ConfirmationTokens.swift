// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
public import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tokens by which subscriptions of URLs are confirmed.
///
/// A token follows from the subscription's id and the master key, so that whoever posts it need not have been told it, and the
/// store need not keep it.
public struct ConfirmationTokens: Sendable {
    private let key: SymmetricKey

    /// Takes the master key, from which the tokens' own key is derived.
    public init(_ masterKey: MasterKey) {
        self.key = SymmetricKey(data: masterKey.derivedKey(for: "apus confirmation token"))
    }

    /// The token of a subscription: 128 hexadecimal digits.
    public func token(of subscription: SubscriptionID) -> String {
        let code = HMAC<SHA512>.authenticationCode(for: Data(subscription.description.utf8), using: self.key)
        return code.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    /// Whether a text has the form of a token: 128 hexadecimal digits, small ones.
    public static func isToken(_ text: String) -> Bool {
        text.utf8.count == 128
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// What the store keeps of a token: its SHA-256.
    public static func digest(of token: String) -> [UInt8] { Array(SHA256.hash(data: Data(token.utf8))) }
}
