// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import NIOCore

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

    init(key: ProviderKey, now: Date) throws(APNsClientError) {
        let header = Self.base64URL(Data(#"{"alg":"ES256","kid":"\#(key.keyID)"}"#.utf8))
        guard let seconds = Int64(exactly: now.timeIntervalSince1970.rounded(.towardZero)) else {
            let message =
                "signing with \(key) failed: expected the time in seconds of 64 bits since 1970,"
                + " got \(now.timeIntervalSince1970); set the clock"
            throw APNsClientError(code: .invalidKey, message: message)
        }
        let claims = Self.base64URL(Data(#"{"iss":"\#(key.teamID)","iat":\#(seconds)}"#.utf8))
        let signed = "\(header).\(claims)"
        do {
            let signature = try key.privateKey.signature(for: Data(signed.utf8))
            let token = "\(signed).\(Self.base64URL(signature.rawRepresentation))"
            self.headerValue = Array("\(ProviderTokenRequirements.authorizationPrefix)\(token)".utf8)
        } catch {
            throw APNsClientError(code: .invalidKey, message: "signing with \(key) failed", cause: error)
        }
        self.issuedAt = now
    }

    /// Whether a new token should take this one's place.
    ///
    /// A clock that was set back counts as age.
    func needsRefresh(now: Date) -> Bool {
        now.timeIntervalSince(self.issuedAt).magnitude >= Self.refreshAge
    }

    private static func base64URL(_ data: Data) -> String {
        var text = data.base64EncodedString()
        text.removeAll { $0 == "=" }
        return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}

/// The provider token of one connection, and when it changes: never twice within APNs' 20 minutes.
///
/// A pure state machine: the caller passes the time.
struct ConnectionProviderToken {
    /// The action of a connection before it sends more.
    enum Step: Equatable {
        case keep
        /// It sends this as `authorization` from now on.
        case change(headerValue: [UInt8])
        /// It leaves the work to connections with tokens of their own: its token is too old by the wall clock, and too
        /// young to be changed.
        case leave
    }

    private let key: ProviderKey?
    private var token: ProviderToken?
    /// When the token was signed, by a monotonic clock.
    private var changedAt = NIODeadline.uptimeNanoseconds(0)

    init(_ credential: APNsCredential) {
        self.key = if case .key(let key) = credential { key } else { nil }
    }

    /// Whether the connection needs a token at all.
    var isNeeded: Bool { self.key != nil }

    /// Decides about the token, and signs a new one if it is time.
    ///
    /// If the wall clock is set, or was wrong at first, a new token can look old; APNs counts its changes by its own
    /// clock.
    /// - Throws: ``APNsClientError`` `invalidKey` if signing fails.
    mutating func step(now: Date, uptime: NIODeadline) throws(APNsClientError) -> Step {
        guard let key = self.key else { return .keep }
        if let token = self.token {
            guard token.needsRefresh(now: now) else { return .keep }
            guard uptime - self.changedAt >= TimeAmount(ProviderTokenRequirements.minimumAge) else { return .leave }
        }
        let token = try ProviderToken(key: key, now: now)
        self.token = token
        self.changedAt = uptime
        return .change(headerValue: token.headerValue)
    }
}
