// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What becomes of a client that has more streams open than it was granted.
public enum StreamExcess: String, Sendable, Hashable, CaseIterable {
    /// Each stream too many is reset with `REFUSED_STREAM`.
    case refuse
    /// The connection is ended: GOAWAY with code 7 and "Maximum active streams violated for this endpoint".
    case goAway
    /// It is served all the same.
    case serve
}
