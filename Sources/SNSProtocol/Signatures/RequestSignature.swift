// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The signature that a request carries, read and not yet verified.
package struct RequestSignature: Hashable, Sendable {
    /// The only algorithm that is taken.
    static let algorithm = "AWS4-HMAC-SHA256"

    /// The claimed scope of the signature: the key, the day, the region and the service.
    ///
    /// The region of the call is that of the scope.
    package let scope: CredentialScope
    package let time: AmzDate
    /// For how many seconds a presigned URL is good, 1...604,800; `nil` for a signature in a header.
    package let lifetime: Int64?
    let signedHeaders: [String]
    let bytes: [UInt8]
    let sessionToken: String?

    /// Creates a signature from the parts of a header or a query.
    ///
    /// - Throws: ``SNSError`` `IncompleteSignature` with the invalid part.
    init(
        scope: CredentialScope,
        time: AmzDate,
        lifetime: Int64? = nil,
        signedHeaders: some StringProtocol,
        signature: some StringProtocol,
        sessionToken: String?
    ) throws(SNSError) {
        self.scope = scope
        self.time = time
        self.lifetime = lifetime
        self.sessionToken = sessionToken
        guard signature.utf8.count == 64, let bytes = Hex.bytes(signature.utf8) else {
            throw SNSError(
                .incompleteSignature,
                "Signature must be 64 hexadecimal digits, got \(signature.utf8.count) characters"
            )
        }
        self.bytes = bytes
        self.signedHeaders = try Self.names(String(signedHeaders))
    }

    private static func names(_ text: String) throws(SNSError) -> [String] {
        let names = text.parts(separatedBy: UInt8(ascii: ";")).map(String.init)
        guard names.count <= 100, names.allSatisfy({ !$0.isEmpty && $0 == $0.lowercased() }),
            Set(names).count == names.count
        else {
            throw SNSError(
                .incompleteSignature,
                "SignedHeaders must be 1...100 distinct names in lower case with ';' between them, got \(names.count)"
            )
        }
        guard names.contains("host") else {
            throw SNSError(.signatureDoesNotMatch, "'Host' must be a 'SignedHeader' in the AWS Authorization.")
        }
        return names.sorted()
    }
}

extension RequestSignature: CustomStringConvertible, CustomDebugStringConvertible {
    /// The scope and the time, without the signature.
    package var description: String { "signature of \(self.scope.accessKeyID) for \(self.scope.text) at \(self.time)" }

    package var debugDescription: String { self.description }
}

/// The names of a presigned URL's parameters.
enum QuerySignatureName {
    static let algorithm = "X-Amz-Algorithm"
    static let credential = "X-Amz-Credential"
    static let date = "X-Amz-Date"
    static let expires = "X-Amz-Expires"
    static let signedHeaders = "X-Amz-SignedHeaders"
    static let signature = "X-Amz-Signature"
    static let securityToken = "X-Amz-Security-Token"

    /// All of them; no operation reads one.
    static let all: Set<String> = [
        algorithm, credential, date, expires, signedHeaders, signature, securityToken,
    ]
}

extension RequestSignature {
    /// How long a presigned URL may be good, in seconds: up to 7 days.
    package static let lifetimes: ClosedRange<Int64> = 1...604_800

    /// Reads the signature of a request, from its `Authorization` header or from its query.
    ///
    /// - Throws: ``SNSError`` `IncompleteSignature`, `SignatureDoesNotMatch` or `MalformedQueryString`.
    /// - Returns: `nil` when the request is not signed.
    package static func read(from request: SignedRequest) throws(SNSError) -> RequestSignature? {
        let isPresigned = request.query.utf8.count >= QuerySignatureName.algorithm.utf8.count
        var parameters: [String: String] = [:]
        if isPresigned {
            for field in try FormFields(Array(request.query.utf8), source: .query).fields
            where QuerySignatureName.all.contains(field.name) {
                parameters[field.name] = field.value
            }
        }
        switch (request.header("authorization"), parameters.isEmpty) {
        case (let header?, true): return try self.read(header: header, of: request)
        case (nil, false): return try self.read(query: parameters)
        case (nil, true): return nil
        case (.some, false):
            throw SNSError(
                .incompleteSignature,
                "A request is signed in the Authorization header or in its query, got both."
            )
        }
    }

    // The header itself is never repeated in an error: with another scheme it may be a secret.
    private static func read(header: String, of request: SignedRequest) throws(SNSError) -> RequestSignature {
        guard header.utf8.starts(with: (Self.algorithm + " ").utf8) else {
            throw SNSError(
                .incompleteSignature,
                "Authorization must be '\(Self.algorithm) Credential=..., SignedHeaders=..., Signature=...',"
                    + " got another scheme of \(header.utf8.count) bytes"
            )
        }
        var parts: [Substring: Substring] = [:]
        let pairs = header.utf8.dropFirst(Self.algorithm.utf8.count)
        for pair in pairs.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }) {
            guard let sign = pair.firstIndex(of: UInt8(ascii: "=")),
                case let value = Substring(pair[pair.index(after: sign)...]),
                parts.updateValue(value, forKey: Substring(pair[..<sign])) == nil
            else {
                throw SNSError(
                    .incompleteSignature,
                    "Authorization must be distinct key=value pairs with ',' between them, got something else"
                )
            }
        }
        let date = request.header("x-amz-date") == nil ? "date" : "x-amz-date"
        guard let credential = parts["Credential"], let names = parts["SignedHeaders"],
            let bytes = parts["Signature"], let written = request.header(date)
        else {
            var missing = ["Credential", "Signature", "SignedHeaders"].filter { parts[$0[...]] == nil }
                .map { "Authorization header requires '\($0)' parameter." }
            if request.header(date) == nil {
                missing.append("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.")
            }
            throw SNSError(.incompleteSignature, missing.joined(separator: " "))
        }
        let signature = try RequestSignature(
            scope: CredentialScope(String(credential)),
            time: Self.time(written, field: date == "date" ? "Date" : "X-Amz-Date"),
            signedHeaders: names,
            signature: bytes,
            sessionToken: request.header("x-amz-security-token")
        )
        for name in [date, "x-amz-security-token"]
        where request.header(name) != nil && !signature.signedHeaders.contains(name) {
            throw SNSError(.signatureDoesNotMatch, "'\(name)' must be a 'SignedHeader' in the AWS Authorization.")
        }
        return signature
    }

    private static func read(query: [String: String]) throws(SNSError) -> RequestSignature {
        func required(_ name: String) throws(SNSError) -> String {
            guard let value = query[name] else {
                throw SNSError(.incompleteSignature, "AWS query-string parameters must include '\(name)'.")
            }
            return value
        }
        let algorithm = try required(QuerySignatureName.algorithm)
        guard algorithm == Self.algorithm else {
            throw SNSError(
                .incompleteSignature,
                "\(QuerySignatureName.algorithm) must be '\(Self.algorithm)', got '\(algorithm.cut)'"
            )
        }
        let expires = try required(QuerySignatureName.expires)
        guard let lifetime = Int64(expires), Self.lifetimes.contains(lifetime) else {
            throw SNSError(
                .incompleteSignature,
                "\(QuerySignatureName.expires) must be 1...604800 seconds, got '\(expires.cut)'"
            )
        }
        return try RequestSignature(
            scope: CredentialScope(required(QuerySignatureName.credential)),
            time: Self.time(required(QuerySignatureName.date), field: QuerySignatureName.date),
            lifetime: lifetime,
            signedHeaders: required(QuerySignatureName.signedHeaders),
            signature: required(QuerySignatureName.signature),
            sessionToken: query[QuerySignatureName.securityToken]
        )
    }

    private static func time(_ text: String, field: String) throws(SNSError) -> AmzDate {
        guard let time = AmzDate(text) else {
            throw SNSError(
                .incompleteSignature,
                "\(field) must be in ISO-8601 'basic format' such as 20150830T123600Z, got '\(text.cut)'"
            )
        }
        return time
    }
}
