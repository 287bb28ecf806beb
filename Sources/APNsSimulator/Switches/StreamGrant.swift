// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a token-trusted connection has to do before it may have more than its first streams open at once.
public enum StreamGrant: String, Sendable, Hashable, CaseIterable {
    /// A request has to succeed with 200.
    case success
    /// A request has to pass authentication, whatever becomes of it.
    case authentication
}
