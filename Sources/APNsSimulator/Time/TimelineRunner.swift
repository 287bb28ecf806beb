// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Synchronization

/// Lets happen what is due although nobody calls: wakes on an event loop when the next entry of the timeline is due.
final class TimelineRunner: Sendable {
    /// The shortest sleep, so that a clock that stands still costs nothing to speak of.
    ///
    /// Unit: seconds.
    private static let shortestSleep = 0.002
    /// The longest sleep.
    ///
    /// Unit: seconds.
    private static let longestSleep = 3600.0

    private struct State {
        var eventLoop: (any EventLoop)?
        var core: SimulatorCore?
        var alarm: Scheduled<Void>?
    }

    private let state = Mutex(State())
    /// The bits of the time that the alarm is set for; positive times are ordered as their bits are.
    private let alarmDue = Atomic<UInt64>(Double.infinity.bitPattern)

    /// Begins.
    func start(_ core: SimulatorCore, on eventLoop: any EventLoop) {
        self.state.withLock { state in
            state.eventLoop = eventLoop
            state.core = core
        }
        core.advanceWorld()
    }

    /// Ends; nothing happens by itself any more.
    func stop() {
        let alarm = self.state.withLock { state in
            defer { state = State() }
            return state.alarm
        }
        alarm?.cancel()
        self.alarmDue.store(Double.infinity.bitPattern, ordering: .relaxed)
    }

    /// Takes note that something is due at `due`, in seconds since 1970.
    func noteDue(_ due: Double) {
        guard due.bitPattern < self.alarmDue.load(ordering: .relaxed) else { return }
        self.setAlarm(due)
    }

    /// Takes note that the time was moved or runs at another speed.
    func noteClockChange(nextDue: Double) {
        guard nextDue < .infinity else { return }
        self.setAlarm(nextDue)
    }

    private func setAlarm(_ due: Double) {
        self.state.withLock { state in
            guard let core = state.core, let eventLoop = state.eventLoop else { return }
            state.alarm?.cancel()
            let clock = core.clock
            let sleep = (due - clock.now) / max(clock.scale, 1e-9)
            let bounded = min(max(sleep, Self.shortestSleep), Self.longestSleep)
            self.alarmDue.store(due.bitPattern, ordering: .relaxed)
            state.alarm = eventLoop.scheduleTask(in: .nanoseconds(Int64(bounded * 1e9))) { [weak self, weak core] in
                self?.alarmDue.store(Double.infinity.bitPattern, ordering: .relaxed)
                core?.advanceWorld()
            }
        }
    }
}
