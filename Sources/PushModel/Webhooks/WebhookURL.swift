// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Where a webhook's events are sent.
public struct WebhookURL: Hashable, Sendable, CustomStringConvertible {
    public static let rule = "an absolute https URL of at most 2048 ASCII bytes, without user, password and fragment"

    /// The URL as it was given.
    public let text: String

    /// The host, without the brackets of an IPv6 address.
    public let host: String

    /// The port, the scheme's own one unless the URL names another.
    public let port: Int

    /// Whether requests are encrypted: `https`, not `http`.
    public let isSecure: Bool

    /// Parses an external URL (RFC 3986), including `http` URLs.
    ///
    /// - Throws: `InvalidValueError` for an invalid URL.
    public init(validating text: String) throws(InvalidValueError) {
        guard let url = WebhookURL(text) else {
            let authority = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first ?? ""
            let value =
                authority.contains("@")
                ? "a user or password; remove it, and verify the signature instead"
                : "\(text.utf8.count) bytes of another form"
            throw InvalidValueError(field: "url", rule: Self.rule, value: value)
        }
        self = url
    }

    /// Reads a URL that was validated before; `nil` when it is none.
    public init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let lowered = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowered.hasPrefix) else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard !rest.contains("#"), !rest.contains("\\") else { return nil }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return nil }
        self.isSecure = scheme == "https://"
        guard let (host, port) = Self.split(authority) else { return nil }
        self.host = host
        self.port = port ?? (self.isSecure ? 443 : 80)
        self.text = text
    }

    private static func split(_ authority: Substring) -> (host: String, port: Int?)? {
        let host: Substring
        var rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            guard host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
            rest = authority[authority.index(after: end)...]
        } else {
            host = authority.prefix { $0 != ":" }
            guard host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }) else { return nil }
            rest = authority.dropFirst(host.count)
        }
        guard !host.isEmpty else { return nil }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.removeFirst() == ":", let port = Int(rest), (1...65_535).contains(port) else { return nil }
        return (String(host), port)
    }

    /// Whether the host is an address that is not on the public internet; `false` for a host name, whose addresses are
    /// checked when a request is posted.
    package var hasPrivateAddress: Bool { NetworkAddress(host: self.host).map { !$0.isPublic } ?? false }

    /// Only scheme and host, for output: the rest is often secret.
    public var place: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        return "\(self.isSecure ? "https" : "http")://\(host)"
    }

    public var description: String { self.text }
}
