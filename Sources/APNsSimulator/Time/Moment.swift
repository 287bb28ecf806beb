// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The times that the simulator knows, in seconds since 1970: those that a calendar can write.
enum Moment {
    /// The end of the year 9999.
    static let latest: Double = 253_402_300_799
    /// From 1970 to the end of the year 9999.
    static let range = 0...Self.latest
}
