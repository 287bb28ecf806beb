// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation
import Synchronization

/// The provider token of a key: signed once, and again before APNs would find it too old.
final class ProviderToken: Sendable {
    private struct Signed {
        var authorization: String
        var issued: ContinuousClock.Instant
    }

    /// APNs takes a token for an hour.
    private static let lifetime: Duration = .seconds(50 * 60)

    private let key: P256.Signing.PrivateKey
    private let keyID: String
    private let teamID: String
    private let signed = Mutex<Signed?>(nil)

    init(job: Job) throws {
        self.key = try P256.Signing.PrivateKey(pemRepresentation: String(contentsOfFile: job.keyPath, encoding: .utf8))
        self.keyID = job.keyID
        self.teamID = job.teamID
    }

    /// The value of the header `authorization`.
    func authorization() throws -> String {
        try self.signed.withLock { signed in
            let now = ContinuousClock.now
            if let signed, now - signed.issued < Self.lifetime { return signed.authorization }
            let authorization = "bearer \(try self.sign(at: Int(Date().timeIntervalSince1970)))"
            signed = Signed(authorization: authorization, issued: now)
            return authorization
        }
    }

    /// A JSON Web Token with ES256.
    private func sign(at seconds: Int) throws -> String {
        let header = Self.base64URL(Data(#"{"alg":"ES256","kid":"\#(self.keyID)"}"#.utf8))
        let claims = Self.base64URL(Data(#"{"iss":"\#(self.teamID)","iat":\#(seconds)}"#.utf8))
        let signature = try self.key.signature(for: Data("\(header).\(claims)".utf8))
        return "\(header).\(claims).\(Self.base64URL(signature.rawRepresentation))"
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
