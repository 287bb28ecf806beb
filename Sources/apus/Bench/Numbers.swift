// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// Counts from zero, for several tasks at once.
final class Numbers: Sendable {
    private let count = Atomic(0)

    func next() -> Int { self.count.add(1, ordering: .relaxed).oldValue }
}
