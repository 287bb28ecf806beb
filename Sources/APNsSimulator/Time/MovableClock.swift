// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The simulated time: another clock's, moved on by hand and run at another speed.
///
/// It never goes back, whatever the other clock does.
final class MovableClock: Sendable {
    private struct State {
        /// What the other clock showed when ``shown`` was shown.
        var base: Double
        /// The simulated time at ``base``.
        var shown: Double
        var scale: Double = 1
        /// The latest time that was told.
        var latest: Double
        /// How far the time was moved by hand.
        var moved: Double = 0
    }

    private let base: SimulatorClock
    private let state: Mutex<State>

    /// A clock that shows the other's time until it is moved.
    init(_ base: SimulatorClock) {
        let now = base.now().timeIntervalSince1970
        self.base = base
        self.state = Mutex(State(base: now, shown: now, latest: now))
    }

    /// The simulated time, in seconds since 1970.
    var now: Double {
        self.state.withLock { self.tell(&$0) }
    }

    /// How many simulated seconds pass in one of the other clock.
    var scale: Double { self.state.withLock { $0.scale } }

    /// How far the time was moved by hand, in seconds.
    var moved: Double { self.state.withLock { $0.moved } }

    /// Moves the time on at once; a negative number of seconds changes nothing.
    ///
    /// - Returns: the simulated time afterwards.
    @discardableResult
    func advance(by seconds: Double) -> Double {
        self.state.withLock { state in
            let step = max(0, seconds)
            state.shown += step
            state.moved += step
            return self.tell(&state)
        }
    }

    /// Moves the time on to a moment; one that is past changes nothing.
    func advance(to moment: Double) {
        self.state.withLock { state in
            let step = max(0, moment - self.tell(&state))
            state.shown += step
            state.moved += step
            _ = self.tell(&state)
        }
    }

    /// Lets the time run at another speed from now on; 0 lets it stand.
    func setScale(_ scale: Double) {
        self.state.withLock { state in
            state.shown = self.tell(&state)
            state.base = self.base.now().timeIntervalSince1970
            state.scale = max(0, scale)
        }
    }

    private func tell(_ state: inout State) -> Double {
        let passed = self.base.now().timeIntervalSince1970 - state.base
        state.latest = max(state.latest, state.shown + passed * state.scale)
        return state.latest
    }
}
