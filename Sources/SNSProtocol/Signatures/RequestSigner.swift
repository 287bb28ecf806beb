// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation

/// Signs requests as a client: Signature Version 4 of AWS.
package struct RequestSigner: Sendable {
    private let credential: SigningCredential
    private let region: String
    private let service: String

    package init(credential: SigningCredential, region: String, service: String = "sns") {
        self.credential = credential
        self.region = region
        self.service = service
    }

    /// Returns the headers that sign a request.
    ///
    /// `path` has no query, `host` includes the port; both as sent. The names in `headers` are in lower case.
    ///
    /// - Returns: `x-amz-date`, `authorization`, and the session's token if there is one.
    /// - Throws: ``SNSError`` if the request cannot be signed.
    package func headers(
        method: String,
        path: String,
        host: String,
        headers: [String: String],
        body: [UInt8],
        now: Date
    ) throws(SNSError) -> [String: String] {
        let time = AmzDate(now)
        var added = ["x-amz-date": time.description]
        added["x-amz-security-token"] = self.credential.sessionToken
        let signed = headers.merging(added) { $1 }.merging(["host": host]) { $1 }
        let scope = CredentialScope(
            accessKeyID: self.credential.accessKeyID,
            day: time.day,
            region: self.region,
            service: self.service
        )
        let names = signed.keys.sorted().joined(separator: ";")
        let draft = try RequestSignature(
            scope: scope,
            time: time,
            signedHeaders: names,
            signature: String(repeating: "0", count: 64),
            sessionToken: nil
        )
        let request = SignedRequest(
            method: method,
            path: path,
            headers: signed.map { (name: $0.key, value: $0.value) },
            body: body
        )
        let text = draft.stringToSign(for: try CanonicalRequest(request, for: draft))
        let signature = Hex.text(SigningKey(secret: self.credential.secret, scope: scope).signature(of: text))
        added["authorization"] =
            "\(RequestSignature.algorithm) Credential=\(scope.accessKeyID)/\(scope.text), SignedHeaders=\(names), "
            + "Signature=\(signature)"
        return added
    }
}
