// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is prepared for instants that have not come.
final class PreparationBook: Sendable {
    /// Of how many activities it keeps what is prepared; what comes due beside these is carried out without.
    static let capacity = 10_000

    private struct State {
        var parts: [PreparedTransitions] = []
    }

    private let state = Mutex(State())

    /// How many more activities there is room for.
    var room: Int { self.state.withLock { Self.capacity - $0.parts.reduce(0) { $0 + $1.count } } }

    /// Keeps what was prepared.
    func add(_ parts: [PreparedTransitions]) { self.state.withLock { $0.parts += parts } }

    /// Takes out what is due by a time, the first first.
    func take(by now: Date) -> [PreparedTransitions] {
        self.state.withLock { state in
            let due = state.parts.filter { $0.dueAt <= now }
            if !due.isEmpty { state.parts.removeAll { $0.dueAt <= now } }
            return due.sorted { $0.dueAt < $1.dueAt }
        }
    }
}
