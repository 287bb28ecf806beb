// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How a connection that had been ready came to its end.
public enum ConnectionEnd: String, Sendable, Hashable, CaseIterable {
    /// APNs asked for it with GOAWAY.
    case goAway = "goaway"
    /// It broke, or gave no sign of life.
    case lost
    /// This side closed it, or the peer without a word while nothing was wrong.
    case ended
}
