// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import APNsSimulator

@Suite("Timeline")
struct TimelineTests {
    private func event(_ place: Int32) -> ScheduledEvent {
        .device(DeviceTimerEvent(device: DeviceIndex(rawValue: place), kind: .powerWindow))
    }

    @Test("what is due comes earliest first, and at the same time in the order of planning")
    func order() {
        var timeline = EventQueue()
        for (place, due) in [5.0, 1, 3, 1, 4, 2, 3].enumerated() {
            timeline.schedule(self.event(Int32(place)), at: due)
        }
        var places: [Int32] = []
        while let entry = timeline.next(until: 4) {
            if case .device(let event) = entry.event { places.append(event.device.rawValue) }
        }
        #expect(places == [1, 3, 5, 2, 6, 4])
        #expect(timeline.count == 1)
        #expect(timeline.nextDue == 5)
    }

    @Test("nothing comes before its time")
    func notBefore() {
        var timeline = EventQueue()
        #expect(timeline.nextDue == .infinity)
        #expect(timeline.next(until: .infinity) == nil)
        timeline.schedule(self.event(1), at: 10)
        #expect(timeline.next(until: 9.999) == nil)
        #expect(timeline.next(until: 10) != nil)
        #expect(timeline.nextDue == .infinity)
    }

    @Test("many entries in any order come out sorted")
    func many() {
        var timeline = EventQueue()
        var generator = SplitMix64(seed: 7)
        for place in 0..<1000 {
            timeline.schedule(self.event(Int32(place)), at: Double.random(in: 0..<100, using: &generator))
        }
        var dues: [Double] = []
        while let entry = timeline.next(until: 100) { dues.append(entry.due) }
        #expect(dues.count == 1000)
        #expect(dues == dues.sorted())
    }
}
