// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// What a schedule would have done while nothing ran.
public struct MissedOccurrences: Hashable, Sendable {
    /// How many occurrences there were: at least 1.
    public let count: Int

    /// The last of them.
    public let newest: Date

    /// Takes how many there were, and the last of them.
    public init(count: Int, newest: Date) {
        self.count = count
        self.newest = newest
    }
}
