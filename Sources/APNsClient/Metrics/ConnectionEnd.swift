// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How a connection that had been ready came to its end.
public enum ConnectionEnd: String, Sendable, Hashable, CaseIterable {
    /// APNs asked for it with GOAWAY, and answered what it had taken.
    case goAway = "goaway"
    /// It broke, gave no sign of life, was closed by APNs without GOAWAY, or ended with requests that had no answer.
    case lost
    /// This side closed it when all was answered.
    case ended
}
