// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Movable clock")
struct MovableClockTests {
    private let time = TestSimulatorClock()
    private var start: Double { Date(timeIntervalSince1970: 1_760_000_000).timeIntervalSince1970 }

    @Test("it shows the other clock's time until it is moved, and goes on from there")
    func moves() {
        let clock = AdjustableClock(self.time.clock)
        #expect(clock.now == self.start)
        #expect(clock.advance(by: 3600) == self.start + 3600)
        self.time.advance(by: .seconds(10))
        #expect(clock.now == self.start + 3610)
    }

    @Test("it never goes back, whoever wants it")
    func neverBack() {
        let clock = AdjustableClock(self.time.clock)
        clock.advance(by: -5)
        self.time.advance(by: .seconds(-100))
        clock.advance(to: self.start - 50)
        #expect(clock.now == self.start)
    }

    @Test("put back, it shows the other clock's time again, at its speed")
    func reset() {
        let clock = AdjustableClock(self.time.clock)
        clock.advance(by: 43_200)
        clock.setScale(60)
        self.time.advance(by: .seconds(10))
        clock.reset()
        #expect(clock.now == self.start + 10)
        #expect(clock.scale == 1)
        self.time.advance(by: .seconds(10))
        #expect(clock.now == self.start + 20)
    }

    @Test("at another speed only what passes from then on is scaled", arguments: [60.0, 0.5, 0])
    func scale(scale: Double) {
        let clock = AdjustableClock(self.time.clock)
        self.time.advance(by: .seconds(10))
        clock.setScale(scale)
        self.time.advance(by: .seconds(100))
        #expect(clock.now == self.start + 10 + 100 * scale)
    }

    @Test("however far it is moved, and however fast it runs, it stands still at the end of the year 9999")
    func end() {
        let clock = AdjustableClock(self.time.clock)
        #expect(clock.advance(by: 1e18) == SimulatorTimeRange.latest)
        clock.setScale(.infinity)
        self.time.advance(by: .seconds(1000))
        #expect(clock.now == SimulatorTimeRange.latest)
        clock.advance(to: 1e300)
        #expect(clock.advance(by: 1) == SimulatorTimeRange.latest)
    }
}
