// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import Foundation

/// An API key with its secret, as its holder writes it: `apus_<id>_<secret>`.
///
/// The id is 16 lower-case hexadecimal digits, the secret 64: 32 random bytes. The store keeps only the ``hash``.
public struct APIKeySecret: Hashable, Sendable {
    private static let prefix = "apus_"
    public let id: APIKeyID
    private let secret: [UInt8]

    private init(id: APIKeyID, secret: [UInt8]) {
        self.id = id
        self.secret = secret
    }

    /// Draws a new key, whose ID has a code if there are `codes`.
    ///
    /// The generator must be cryptographically secure.
    public static func generate(
        codes: APIKeyIDCodes? = nil,
        using generator: inout some RandomNumberGenerator
    ) -> APIKeySecret {
        let id = (0..<8).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return APIKeySecret(id: APIKeyID(unchecked: Hex.text(codes?.adding(to: id) ?? id)), secret: secret)
    }

    /// Draws a new key from the system's random numbers, whose ID has a code if there are `codes`.
    public static func generate(codes: APIKeyIDCodes? = nil) -> APIKeySecret {
        var generator = SystemRandomNumberGenerator()
        return self.generate(codes: codes, using: &generator)
    }

    /// Reads the written form; `nil` when the text is not an API key at all.
    public init?(_ text: Substring) {
        let text = text.utf8
        guard text.count <= 128, text.starts(with: Self.prefix.utf8) else { return nil }
        let parts = text.dropFirst(Self.prefix.utf8.count)
        guard let end = parts.firstIndex(of: UInt8(ascii: "_")),
            let id = APIKeyID(rawValue: String(Substring(parts[..<end]))),
            let secret = Hex.bytes(parts[end...].dropFirst(), acceptsUpperCase: false), secret.count == 32
        else { return nil }
        self.init(id: id, secret: secret)
    }

    public init?(_ text: String) { self.init(text[...]) }

    /// The written form.
    ///
    /// It is the secret itself: show it once, log it never.
    public var text: String { "\(Self.prefix)\(self.id.rawValue)_\(Hex.text(self.secret))" }

    /// The stored form of the secret: its SHA-256, 32 bytes.
    public var hash: [UInt8] { Array(SHA256.hash(data: self.secret)) }

    /// Whether a stored ``hash`` is that of this secret.
    ///
    /// The comparison takes the same time wherever the hashes differ.
    func hasHash(_ hash: [UInt8]) -> Bool {
        SHA256.hash(data: self.secret).withUnsafeBytes { own in
            own.count == hash.count && zip(own, hash).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }
}

extension APIKeySecret: CustomStringConvertible, CustomDebugStringConvertible {
    /// The public half alone.
    public var description: String { "apus_\(self.id.rawValue)_(redacted)" }

    public var debugDescription: String { self.description }
}

/// The secret half of an access key, which signs requests to the SNS endpoint.
///
/// Verifying such a signature requires the secret itself, not its hash, so it is stored sealed by the master key.
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

    public var debugDescription: String { self.description }
}

extension APIKeyID {
    private static let accessKeyPrefix = "APUS"

    /// The id as clients of the SNS endpoint write it, who expect letters, digits and 20 of them:
    /// `APUS0123456789ABCDEF`.
    public var accessKeyID: String { Self.accessKeyPrefix + self.rawValue.uppercased() }

    /// Reads an ``accessKeyID``; `nil` for one that was not given out here.
    public init?(accessKeyID text: String) {
        guard text.hasPrefix(Self.accessKeyPrefix), text == text.uppercased() else { return nil }
        self.init(rawValue: text.dropFirst(Self.accessKeyPrefix.count).lowercased())
    }
}
