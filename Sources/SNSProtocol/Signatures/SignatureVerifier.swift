// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
package import Foundation
import Synchronization

/// Verifies that requests are signed with a key's secret: Signature Version 4 of AWS.
///
/// ``RequestSignature/read(from:)`` parses the signature; the caller finds the key of ``CredentialScope/accessKeyID``
/// (and returns ``unknownKey`` if there is none); this type verifies the rest.
package struct SignatureVerifier: Sendable {
    /// By how many seconds the clocks of client and server may differ.
    package static let maximumSkew: Int64 = 15 * 60

    package static let unsigned = SNSError(.missingAuthenticationToken, "Request is missing Authentication Token")

    /// The error of a signature with an unknown key, or of another session.
    package static let unknownKey = SNSError(
        .invalidClientTokenId,
        "The security token included in the request is invalid."
    )

    /// The error of a session token for a key that needs none; starts with AWS' own message.
    static let needlessToken = SNSError(
        .invalidClientTokenId,
        unknownKey.message + " This access key has no session token: remove AWS_SESSION_TOKEN from the environment, and"
            + " aws_session_token from profile and client, or let the server ignore it by sns.ignoreSessionToken."
    )

    /// The error of a key that cannot be one of this server; starts with AWS' own message.
    package static let foreignKey = SNSError(
        .invalidClientTokenId,
        unknownKey.message
            + " This server accepts no keys of AWS users or roles: set AWS_ACCESS_KEY_ID"
            + " and AWS_SECRET_ACCESS_KEY to an access key of this server."
    )

    static let mismatch = SNSError(
        .signatureDoesNotMatch,
        "The request signature we calculated does not match the signature you provided."
            + " Check your AWS Secret Access Key and signing method. Consult the service documentation for details."
    )

    private let service: String
    private let keys: SigningKeyCache

    /// Whether a session token changes nothing: the signature alone proves who sent the request.
    private let ignoresSessionTokens: Bool

    /// The longest lifetime of a presigned URL that is accepted, in seconds.
    private let maximumLifetime: Int64

    package init(
        service: String = "sns",
        ignoresSessionTokens: Bool = false,
        maximumLifetime: Int = Int(RequestSignature.lifetimes.upperBound),
        cachedKeys: Int = 1024
    ) {
        self.service = service
        self.ignoresSessionTokens = ignoresSessionTokens
        self.maximumLifetime = Int64(maximumLifetime)
        self.keys = SigningKeyCache(capacity: cachedKeys)
    }

    /// Verifies a request.
    ///
    /// - Throws: ``SNSError`` `SignatureDoesNotMatch`, `InvalidClientTokenId` for the token of another session,
    ///   `IncompleteSignature`.
    package func verify(
        _ signature: RequestSignature,
        of request: SignedRequest,
        with credential: SigningCredential,
        now: Date
    ) throws(SNSError) {
        try self.check(signature, with: credential, now: now)
        try self.verify(signature, of: request, with: credential)
    }

    /// Checks the parts of a signature that need no body: scope, time and session.
    ///
    /// The signature itself is not verified yet: see ``verify(_:of:with:)``.
    ///
    /// - Throws: ``SNSError`` `SignatureDoesNotMatch`, `InvalidClientTokenId` for the token of another session.
    package func check(
        _ signature: RequestSignature,
        with credential: SigningCredential,
        now: Date
    ) throws(SNSError) {
        if let lifetime = signature.lifetime, lifetime > self.maximumLifetime {
            throw SNSError(
                .incompleteSignature,
                "\(QuerySignatureName.expires) must be 1...\(self.maximumLifetime) seconds, got '\(lifetime)'"
            )
        }
        try signature.scope.check(service: self.service, time: signature.time)
        try signature.checkTime(AmzDate(now))
        guard signature.scope.accessKeyID == credential.accessKeyID else { throw Self.unknownKey }
        guard !self.ignoresSessionTokens else { return }
        if credential.sessionToken == nil, signature.sessionToken != nil { throw Self.needlessToken }
        guard Self.isSame(signature.sessionToken, credential.sessionToken) else { throw Self.unknownKey }
    }

    /// Holds a signature that was checked against its whole request.
    ///
    /// - Throws: ``SNSError`` `SignatureDoesNotMatch`, `IncompleteSignature`.
    package func verify(
        _ signature: RequestSignature,
        of request: SignedRequest,
        with credential: SigningCredential
    ) throws(SNSError) {
        let text = try signature.stringToSign(for: CanonicalRequest(request, for: signature))
        if let key = self.keys.key(for: signature.scope, secret: credential.secret) {
            guard key.isValid(signature.bytes, of: text) else { throw Self.mismatch }
        } else {
            let key = SigningKey(secret: credential.secret, scope: signature.scope)
            guard key.isValid(signature.bytes, of: text) else { throw Self.mismatch }
            // Cache the key only now, so that a client without the secret cannot evict other keys.
            self.keys.keep(key, for: signature.scope, secret: credential.secret)
        }
    }

    /// Whether both are absent or equal, without telling by time where they differ.
    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        guard left.utf8.count == right.utf8.count else { return false }
        return zip(left.utf8, right.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension RequestSignature {
    /// The text that is signed.
    func stringToSign(for request: CanonicalRequest) -> String {
        "\(Self.algorithm)\n\(self.time)\n\(self.scope.text)\n\(request.hash)"
    }

    /// Checks the clock of the client, or whether a presigned URL is still good.
    fileprivate func checkTime(_ present: AmzDate) throws(SNSError) {
        let skew = SignatureVerifier.maximumSkew
        let now = present.seconds
        if self.time.seconds > now + skew {
            throw SNSError(
                .signatureDoesNotMatch,
                "Signature not yet current: \(self.time) is still later than \(AmzDate(seconds: now + skew))"
                    + " (\(present) + 15 min.)"
            )
        }
        if let lifetime = self.lifetime {
            guard self.time.seconds + lifetime < now else { return }
            throw SNSError(
                .signatureDoesNotMatch,
                "Signature expired: \(AmzDate(seconds: self.time.seconds + lifetime)) is now earlier than \(present)"
            )
        }
        guard self.time.seconds < now - skew else { return }
        throw SNSError(
            .signatureDoesNotMatch,
            "Signature expired: \(self.time) is now earlier than \(AmzDate(seconds: now - skew))"
                + " (\(present) - 15 min.)"
        )
    }
}

/// The signing keys of scopes in use, so that a request costs one HMAC and not five.
///
/// Bounded: when half of the room is taken, the older half is forgotten.
final class SigningKeyCache: Sendable {
    private struct Entry {
        var secret: String
        var key: SigningKey
    }

    private struct Generations {
        var young: [CredentialScope: Entry] = [:]
        var old: [CredentialScope: Entry] = [:]
    }

    private let generationSize: Int
    private let generations = Mutex(Generations())

    /// A cache for at most `capacity` keys, 2 or more.
    init(capacity: Int) {
        self.generationSize = max(1, capacity / 2)
    }

    var count: Int { self.generations.withLock { $0.young.count + $0.old.count } }

    /// The key of a scope if it is kept, and was derived from this secret and not from one that was replaced.
    func key(for scope: CredentialScope, secret: String) -> SigningKey? {
        self.generations.withLock { generations in
            if let entry = generations.young[scope] { return entry.secret == secret ? entry.key : nil }
            guard let entry = generations.old[scope], entry.secret == secret else { return nil }
            self.keep(entry, for: scope, in: &generations)
            return entry.key
        }
    }

    func keep(_ key: SigningKey, for scope: CredentialScope, secret: String) {
        self.generations.withLock { self.keep(Entry(secret: secret, key: key), for: scope, in: &$0) }
    }

    private func keep(_ entry: Entry, for scope: CredentialScope, in generations: inout Generations) {
        generations.old[scope] = nil
        if generations.young[scope] == nil, generations.young.count >= self.generationSize {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[scope] = entry
    }
}
