// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A signed provider token (a JWT with ES256) as one connection carries it in `authorization`.
struct ProviderToken {
    /// `bearer ` and the token.
    let headerValue: [UInt8]
    /// When it was signed: its `iat`.
    let issuedAt: Date
    /// How old a token may get before a new one takes its place: between Apple's 20 and 60 minutes.
    static let refreshAge: TimeInterval = 50 * 60

    /// Signs a new token.
    init(key: ProviderKey, now: Date) throws(APNsClientError) {
        let header = Self.base64URL(Data(#"{"alg":"ES256","kid":"\#(key.keyID)"}"#.utf8))
        let seconds = Int64(now.timeIntervalSince1970)
        let claims = Self.base64URL(Data(#"{"iss":"\#(key.teamID)","iat":\#(seconds)}"#.utf8))
        let signed = "\(header).\(claims)"
        do {
            let signature = try key.privateKey.signature(for: Data(signed.utf8))
            let token = "\(signed).\(Self.base64URL(signature.rawRepresentation))"
            self.headerValue = Array("\(ProviderTokenRule.authorizationPrefix)\(token)".utf8)
        } catch {
            throw APNsClientError(code: .invalidKey, message: "signing with \(key) failed", cause: error)
        }
        self.issuedAt = now
    }

    /// Whether a new token should take this one's place.
    ///
    /// A clock that was set back counts as age.
    func needsRefresh(now: Date) -> Bool {
        abs(now.timeIntervalSince(self.issuedAt)) >= Self.refreshAge
    }

    private static func base64URL(_ data: Data) -> String {
        var text = data.base64EncodedString()
        text.removeAll { $0 == "=" }
        return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
