// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Synchronization

/// A key pair that signs requests, with the token of its session if it is a temporary one.
package struct SigningCredential: Hashable, Sendable {
    /// The public half.
    package let accessKeyID: String
    let secret: String
    /// The token that every request carries beside its signature; `nil` for a lasting key.
    let sessionToken: String?

    package init(accessKeyID: String, secret: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secret = secret
        self.sessionToken = sessionToken
    }
}

extension SigningCredential: CustomStringConvertible, CustomDebugStringConvertible {
    /// The public half alone.
    package var description: String { "\(self.accessKeyID) (secret redacted)" }

    package var debugDescription: String { self.description }
}

/// The scope of a signature: one key on one day in one region for one service.
package struct CredentialScope: Hashable, Sendable {
    /// The last part of every scope.
    static let terminator = "aws4_request"

    /// The public half of the key pair.
    package var accessKeyID: String
    /// The day in UTC: `20150830`.
    package var day: String
    /// The region: `ap-northeast-1`.
    package var region: String
    /// The service: `sns`.
    package var service: String
}

extension CredentialScope {
    /// Reads `<key id>/<day>/<region>/<service>/aws4_request`.
    ///
    /// - Throws: ``SNSError`` `IncompleteSignature`, or `SignatureDoesNotMatch` for another last part.
    init(_ text: String) throws(SNSError) {
        let parts = text.parts(separatedBy: UInt8(ascii: "/")).map(String.init)
        guard parts.count == 5 else {
            throw SNSError(
                .incompleteSignature,
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term,"
                    + " got \(parts.count)"
            )
        }
        guard parts[4] == Self.terminator else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Credential should be scoped with a valid terminator: '\(Self.terminator)', not '\(parts[4].cut)'."
            )
        }
        guard (1...128).contains(parts[0].utf8.count) else {
            throw SNSError(.incompleteSignature, "Credential must begin with an access key id of 1...128 characters")
        }
        self.init(accessKeyID: parts[0], day: parts[1], region: parts[2], service: parts[3])
    }

    /// The scope without the key, as in the signed text.
    var text: String { "\(self.day)/\(self.region)/\(self.service)/\(Self.terminator)" }

    /// Checks that the scope is for a service, on the day of the signature, and in a region whose name can be one.
    ///
    /// - Throws: ``SNSError`` `SignatureDoesNotMatch`.
    func check(service: String, time: AmzDate) throws(SNSError) {
        guard self.service == service else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Credential should be scoped to correct service: '\(service)', not '\(self.service.cut)'."
            )
        }
        guard SNSScope.isRegion(self.region) else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Credential should be scoped to a valid region, not '\(self.region.cut)'."
            )
        }
        guard self.day == time.day else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP:"
                    + " '\(self.day.cut)' != '\(time.day)', from '\(time)'."
            )
        }
    }
}

/// The key of one scope, derived from a secret, a day, a region and a service.
struct SigningKey: Sendable {
    let key: SymmetricKey

    /// Derives the key: four HMACs, each with the result of the one before it as its key.
    init(secret: String, scope: CredentialScope) {
        var key = SymmetricKey(data: Array("AWS4\(secret)".utf8))
        for part in [scope.day, scope.region, scope.service, CredentialScope.terminator] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        self.key = key
    }

    /// Whether a signature is the one of a text; takes the same time wherever it differs.
    func isValid(_ signature: [UInt8], of text: String) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: Array(text.utf8), using: self.key)
    }

    /// The signature of a text: 32 bytes.
    func signature(of text: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: self.key))
    }
}
