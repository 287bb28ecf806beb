// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// How many streams are served: a limit, and a place for each stream.
final class StreamSlots: Sendable {
    /// A place that one stream takes for as long as this lives.
    final class Slot: Sendable {
        private let slots: StreamSlots

        fileprivate init(_ slots: StreamSlots) {
            self.slots = slots
        }

        deinit {
            self.slots.taken.withLock { $0 -= 1 }
        }
    }

    private let limit: Int
    private let taken = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place.
    ///
    /// - Throws: ``Problem`` `.tooManyStreams` when there is none left.
    func take() throws(Problem) -> Slot {
        let isFree = self.taken.withLock { taken in
            guard taken < self.limit else { return false }
            taken += 1
            return true
        }
        guard isFree else { throw Problem(.tooManyStreams, "The server has \(self.limit) streams open, its limit.") }
        return Slot(self)
    }
}
