// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How an app answers calls that it has to complete.
public enum CallCompletion: String, Sendable, Hashable, Codable, CaseIterable {
    /// At once.
    case automatic
    /// When the tester says so; otherwise never, and the deadline is missed.
    case manual
}
