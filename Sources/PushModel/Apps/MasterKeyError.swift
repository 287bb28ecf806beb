// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a master key could not be read or did not open a credential.
public struct MasterKeyError: Error, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Hashable, Sendable {
        /// The text is not Base64 of 32 bytes.
        case malformed

        /// The sealed bytes are not what this key sealed for this credential.
        case cannotOpen
    }

    /// The kind of failure, for callers that switch on it.
    public let code: Code

    /// What happened and how to fix it; holds no secret.
    public let message: String

    /// The failure of the cryptographic library, where there is one.
    public let cause: (any Error)?

    init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    public var description: String { "\(self.code.rawValue): \(self.message)" }
}
