// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The signature that a request carries, read and not yet verified.
public struct RequestSignature: Hashable, Sendable {
    /// The only algorithm that is taken.
    static let algorithm = "AWS4-HMAC-SHA256"

    /// Whose signature it says it is, and for what it is good.
    ///
    /// The region of the call is this one.
    public let scope: CredentialScope
    /// When it was made.
    public let time: AmzDate
    /// For how many seconds a presigned URL is good, 1...604,800; `nil` for a signature in a header.
    public let lifetime: Int64?
    let signedHeaders: [String]
    let bytes: [UInt8]
    let sessionToken: String?

    /// Takes the parts as they stand in a header or a query.
    ///
    /// - Throws: ``SNSError`` `IncompleteSignature` with the part that is no such part.
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
        guard signature.utf8.count == 64, let bytes = HexText.decode(signature) else {
            throw SNSError(
                .incompleteSignature,
                "Signature must be 64 hexadecimal digits, got \(signature.utf8.count) characters"
            )
        }
        self.bytes = bytes
        self.signedHeaders = try Self.names(String(signedHeaders))
    }

    private static func names(_ text: String) throws(SNSError) -> [String] {
        let names = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
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
    /// Whose it is and for what, without the signature.
    public var description: String { "signature of \(self.scope.accessKeyID) for \(self.scope.text) at \(self.time)" }

    /// See ``description``.
    public var debugDescription: String { self.description }
}
