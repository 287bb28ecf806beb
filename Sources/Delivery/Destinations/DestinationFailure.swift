// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Why nothing can be sent for an app in an environment.
public struct DestinationFailure: Error, CustomStringConvertible {
    /// What the targets come to: `noCredential` or `badCredential`.
    public let code: FailureCode

    /// What is missing or broken and how to fix it; holds no secret.
    public let message: String

    /// The failure beneath, where there is one.
    public let cause: (any Error)?

    init(code: FailureCode, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    public var description: String { "\(self.code): \(self.message)" }
}
