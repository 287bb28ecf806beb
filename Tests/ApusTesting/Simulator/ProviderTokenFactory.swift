// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNsSimulator
import Crypto
public import Foundation

/// Makes provider tokens (JWTs), right ones and wrong ones, for a key of the simulator's.
public struct ProviderTokenFactory: Sendable {
    /// How a signature is written.
    public enum SignatureEncoding: Sendable {
        /// 64 bytes, r and s, as RFC 7518 section 3.4 has it.
        case raw
        /// ASN.1, as some clients in use send it.
        case der
    }

    private let key: SimulatorProviderKey
    private let privateKey: P256.Signing.PrivateKey

    /// A mint for a key.
    /// - Throws: an error of the PEM parser.
    public init(_ key: SimulatorProviderKey) throws {
        self.key = key
        self.privateKey = try P256.Signing.PrivateKey(pemRepresentation: key.p8)
    }

    /// A token of the key and its team.
    public func token(issuedAt: Date, encoding: SignatureEncoding = .raw) throws -> String {
        try self.token(
            header: "{\"alg\":\"ES256\",\"kid\":\"\(self.key.keyID)\"}",
            claims: "{\"iss\":\"\(self.key.teamID)\",\"iat\":\(Int(issuedAt.timeIntervalSince1970))}",
            encoding: encoding
        )
    }

    /// A token with this header and these claims, both JSON text, signed as they are.
    public func token(header: String, claims: String, encoding: SignatureEncoding = .raw) throws -> String {
        let signed = "\(Self.encode(Array(header.utf8))).\(Self.encode(Array(claims.utf8)))"
        let signature = try self.privateKey.signature(for: SHA256.hash(data: Array(signed.utf8)))
        let bytes =
            switch encoding {
            case .raw: Array(signature.rawRepresentation)
            case .der: Array(signature.derRepresentation)
            }
        return "\(signed).\(Self.encode(bytes))"
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        var text = Data(bytes).base64EncodedString()
        text.replace("+", with: "-")
        text.replace("/", with: "_")
        text.replace("=", with: "")
        return text
    }
}
