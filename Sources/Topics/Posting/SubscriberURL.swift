// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A URL that is subscribed to a topic, ready to be posted to: user and password apart.
public struct SubscriberURL: Hashable, Sendable {
    /// The URL without user and password.
    public let url: WebhookURL

    /// The value of the header `Authorization`; `nil` for a URL without a user.
    public let authorization: String?

    /// Reads a URL; `nil` for one that is none, or that has a fragment.
    public init?(_ text: String) {
        guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else {
            guard let url = WebhookURL(text) else { return nil }
            self.url = url
            self.authorization = nil
            return
        }
        guard var user = Self.decoded(text[start..<at]),
            let url = WebhookURL(String(text[..<start] + text[text.index(after: at)...]))
        else { return nil }
        if !user.contains(UInt8(ascii: ":")) { user.append(UInt8(ascii: ":")) }
        self.url = url
        self.authorization = "Basic " + Data(user).base64EncodedString()
    }

    /// A text without percent-encoding; `nil` where a sign of percent has no two digits behind it.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
