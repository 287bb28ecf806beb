// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Which failures are asked for.
public struct FailureFilter: Hashable, Sendable {
    /// Apple's reason or our code, as it is written; `nil` for all of them.
    public var reason: String?

    /// Whether sending again may help; `nil` for both.
    public var isRetryable: Bool?

    /// Asks for failures; for all of them unless told otherwise.
    public init(reason: String? = nil, isRetryable: Bool? = nil) {
        self.reason = reason
        self.isRetryable = isRetryable
    }

    /// Whether a failure is among those.
    public func matches(_ outcome: Outcome) -> Bool {
        if let isRetryable, outcome.isRetryable != isRetryable { return false }
        guard let reason else { return true }
        switch outcome {
        case .delivered: return false
        case .rejected(let rejection): return rejection.reason.rawValue == reason
        case .failed(let code): return code.rawValue == reason
        }
    }
}
