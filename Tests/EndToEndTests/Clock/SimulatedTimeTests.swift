// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import apus

@Suite("Simulated time")
struct SimulatedTimeTests {
    private static let start = ContinuousClock.now

    private static func reading(_ seconds: Double, scale: Double = 1, change: Int = 0) -> SimulatedTime.Reading {
        SimulatedTime.Reading(seconds: seconds, scale: scale, change: change)
    }

    private static func instant(_ seconds: Double) -> ContinuousClock.Instant {
        self.start.advanced(by: .seconds(seconds))
    }

    @Test("goes on at the simulator's pace between two readings", arguments: [0.0, 1, 60])
    func pace(scale: Double) {
        let time = SimulatedTime(Self.reading(1000, scale: scale), from: Self.start, to: Self.start)
        #expect(abs(time.seconds(at: Self.instant(2)) - (1000 + 2 * scale)) < 0.001)
    }

    @Test("counts from the middle of the time that the first answer took")
    func middle() {
        let time = SimulatedTime(Self.reading(1000), from: Self.start, to: Self.instant(4))
        #expect(abs(time.seconds(at: Self.instant(2)) - 1000) < 0.001)
    }

    @Test(
        "is not moved by an answer that says nothing new, however late it comes",
        arguments: [(10.0, 10.0, 1010.0), (10, 40, 1010), (10, 40, 1040)]
    )
    func slowAnswers(from: Double, to: Double, says: Double) {
        let first = SimulatedTime(Self.reading(1000), from: Self.start, to: Self.start)
        var time = first
        time.take(Self.reading(says), from: Self.instant(from), to: Self.instant(to))
        #expect(time == first)
    }

    @Test("takes a small step that a slow answer tells of")
    func smallStep() {
        var time = SimulatedTime(Self.reading(1000), from: Self.start, to: Self.start)
        time.take(Self.reading(1005, change: 1), from: Self.instant(0), to: Self.instant(8))
        #expect(abs(time.seconds(at: Self.instant(4)) - 1005) < 0.001)
    }

    @Test("follows the simulator ahead, back, and to another pace")
    func moves() {
        var time = SimulatedTime(Self.reading(1000), from: Self.start, to: Self.start)
        time.take(Self.reading(8200), from: Self.instant(1), to: Self.instant(1))
        #expect(abs(time.seconds(at: Self.instant(2)) - 8201) < 0.001)
        time.take(Self.reading(1003), from: Self.instant(3), to: Self.instant(3))
        #expect(abs(time.seconds(at: Self.instant(4)) - 1004) < 0.001)
        time.take(Self.reading(1005, scale: 0), from: Self.instant(5), to: Self.instant(5))
        #expect(abs(time.seconds(at: Self.instant(100)) - 1005) < 0.001)
    }
}
