// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What is known of the targets of one batch.
public struct BatchOutcomes: Hashable, Sendable {
    /// How far the batch has come.
    public let lifecycle: BatchLifecycle

    /// The targets that came to anything but `delivered`, by their indices.
    public let failures: [Int: Outcome]

    /// Takes a batch's standing, and what its targets came to that were not delivered.
    public init(lifecycle: BatchLifecycle, failures: [Int: Outcome]) {
        self.lifecycle = lifecycle
        self.failures = failures
    }

    /// What became of one target; `nil` while that is not known.
    public func outcome(at index: Int) -> Outcome? {
        guard self.lifecycle.isSettled(index) else { return self.lifecycle.remainder.map { .failed($0) } }
        return self.failures[index] ?? .delivered
    }
}
