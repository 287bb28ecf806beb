// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// How many batches a worker takes at once, in all and of each kind.
public struct ClaimRoom: Hashable, Sendable {
    /// The most batches in all, 1...1000.
    public var total: Int

    /// The most batches of a kind that ``kinds`` does not name; 0 or more.
    public var perKind: Int

    /// The most kinds that ``kinds`` does not name of which batches are taken; 0 or more.
    public var otherKinds: Int

    /// The most batches of single kinds; 0 leaves a kind alone.
    public var kinds: [BatchKind: Int]

    /// Takes limits.
    ///
    /// - Parameters:
    ///   - total: the most batches in all, 1...1000.
    ///   - perKind: the most batches of a kind that is not named.
    ///   - otherKinds: the most kinds that are not named of which batches are taken; all of them unless given.
    ///   - kinds: the most batches of single kinds.
    public init(total: Int, perKind: Int, otherKinds: Int = .max, kinds: [BatchKind: Int] = [:]) {
        self.total = total
        self.perKind = perKind
        self.otherKinds = otherKinds
        self.kinds = kinds
    }

    /// The most batches of a kind.
    public func limit(for kind: BatchKind) -> Int {
        max(0, self.kinds[kind] ?? (self.otherKinds > 0 ? self.perKind : 0))
    }
}
