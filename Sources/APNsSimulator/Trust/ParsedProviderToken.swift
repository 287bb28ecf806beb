// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parts of a provider token (a JWT, RFC 7519) before anything about it is believed.
struct ParsedProviderToken {
    /// `kid` of the header.
    var keyID: String
    /// `iss` of the claims.
    var teamID: String
    /// `iat` of the claims, in seconds since 1970.
    var issuedAt: Double
    /// The signed bytes: header and claims in their original encoding.
    var signed: ArraySlice<UInt8>
    /// The signature: 64 bytes, or DER.
    var signature: [UInt8]

    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var issuedAt: Double
        var isQuoted: Bool

        private enum CodingKeys: String, CodingKey {
            case iss, iat
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.iss = try container.decode(String.self, forKey: .iss)
            if let number = try? container.decode(Double.self, forKey: .iat) {
                self.issuedAt = number
                self.isQuoted = false
            } else if let number = Double(try container.decode(String.self, forKey: .iat)), number.isFinite {
                self.issuedAt = number
                self.isQuoted = true
            } else {
                throw DecodingError.dataCorruptedError(forKey: .iat, in: container, debugDescription: "not a number")
            }
        }
    }

    /// Takes a token apart.
    ///
    /// `typ` and claims beyond `iss` and `iat` are allowed. `nil` unless there are three parts, `alg` is ES256,
    /// and `kid` and `iss` have 10 characters.
    init?(_ token: [UInt8], acceptsQuotedIssuedAt: Bool) {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let claimBytes = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return nil }
        let decoder = JSONDecoder()
        guard let header = try? decoder.decode(Header.self, from: Data(headerBytes)),
            let claims = try? decoder.decode(Claims.self, from: Data(claimBytes)),
            header.alg == "ES256", header.kid.utf8.count == 10, claims.iss.utf8.count == 10,
            acceptsQuotedIssuedAt || !claims.isQuoted
        else { return nil }
        self.keyID = header.kid
        self.teamID = claims.iss
        self.issuedAt = claims.issuedAt
        self.signed = token[parts[0].startIndex..<parts[1].endIndex]
        self.signature = signature
    }
}

/// A provider token whose signature was checked.
struct VerifiedProviderToken: Sendable {
    /// The token's bytes, after `bearer`.
    var bytes: [UInt8]
    /// The key that signed it.
    var key: ProviderKey
    /// `iat`, in seconds since 1970.
    var issuedAt: Double
}
