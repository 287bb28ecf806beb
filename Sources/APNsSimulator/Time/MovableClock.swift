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
/// It never goes back, whatever the other clock does, but for ``reset()``, and stands still at the end of the year 9999.
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

    /// The highest speed.
    private static let maximumScale: Double = 1_000_000

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
        self.state.withLock { self.move(&$0, by: seconds) }
    }

    /// Moves the time on to a moment; one that is past changes nothing.
    func advance(to moment: Double) {
        self.state.withLock { state in _ = self.move(&state, by: moment - self.tell(&state)) }
    }

    private func move(_ state: inout State, by seconds: Double) -> Double {
        let step = min(max(0, seconds), Moment.latest - self.tell(&state))
        state.shown += step
        state.moved += step
        return self.tell(&state)
    }

    /// Lets the time run at another speed from now on, of 0 to 1,000,000; 0 lets it stand.
    func setScale(_ scale: Double) {
        self.state.withLock { state in
            state.shown = self.tell(&state)
            state.base = self.base.now().timeIntervalSince1970
            state.scale = min(max(0, scale), Self.maximumScale)
        }
    }

    /// Shows the other's time again, as in the beginning.
    func reset() {
        let now = self.base.now().timeIntervalSince1970
        self.state.withLock { $0 = State(base: now, shown: now, latest: now) }
    }

    private func tell(_ state: inout State) -> Double {
        let passed = self.base.now().timeIntervalSince1970 - state.base
        state.latest = max(state.latest, min(state.shown + passed * state.scale, Moment.latest))
        return state.latest
    }
}
