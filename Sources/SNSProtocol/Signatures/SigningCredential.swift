// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A key pair that signs requests, with the token of its session if it is a temporary one.
public struct SigningCredential: Hashable, Sendable {
    /// The public half.
    public let accessKeyID: String
    let secret: String
    let sessionToken: String?

    /// A key pair.
    ///
    /// - Parameters:
    ///   - accessKeyID: the public half.
    ///   - secret: the half that signs.
    ///   - sessionToken: what every request has to carry beside its signature; `nil` for a lasting key.
    public init(accessKeyID: String, secret: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secret = secret
        self.sessionToken = sessionToken
    }
}

extension SigningCredential: CustomStringConvertible, CustomDebugStringConvertible {
    /// The public half alone.
    public var description: String { "\(self.accessKeyID) (secret redacted)" }

    /// See ``description``.
    public var debugDescription: String { self.description }
}
