// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a credential or the client itself cannot be used.
///
/// What becomes of a notification is never thrown: it is a ``SendOutcome``.
public struct APNsClientError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it was; what callers switch on.
    public enum Code: String, Sendable, Hashable {
        /// The text is not a P-256 private key in PEM.
        case invalidKey
        /// The key id or team id is not ten letters and digits.
        case invalidIdentifier
        /// The file is not a certificate with its key, in PEM or PKCS#12.
        case invalidCertificate
        /// The PKCS#12 file does not open with this password.
        case wrongPassword
        /// The server's certificate authority is not a certificate in PEM.
        case invalidTrust
    }

    /// What kind of failure it was.
    public var code: Code
    /// What happened and how to fix it; never a secret.
    public var message: String
    /// The lower-level error, kept whole.
    public var cause: (any Error)?

    /// An error of one kind, with what happened.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message, followed by the cause where there is one.
    public var description: String {
        if let cause = self.cause { "\(self.message) (\(cause))" } else { self.message }
    }
}
