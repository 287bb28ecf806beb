// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Synchronization

/// Scheduled events by time; events of the same time keep the order in which they were scheduled.
///
/// A binary heap.
struct EventQueue: Codable, Sendable {
    /// Something with its time.
    struct Entry: Codable, Hashable, Sendable {
        /// When it happens, in seconds since 1970.
        var due: Double
        /// The place among those of the same time.
        var order: UInt64
        var event: ScheduledEvent

        func precedes(_ other: Entry) -> Bool {
            self.due == other.due ? self.order < other.order : self.due < other.due
        }
    }

    private var heap: [Entry] = []
    private var nextOrder: UInt64 = 0
    /// When the next entry is due; infinitely late where there is none.
    private(set) var nextDue = Double.infinity

    private enum CodingKeys: String, CodingKey {
        case heap = "entries"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let entries = try container.decode([Entry].self, forKey: .heap)
        for entry in entries.sorted(by: { $0.precedes($1) }) { self.schedule(entry.event, at: entry.due) }
    }

    var count: Int { self.heap.count }

    /// The devices to which something is going to happen.
    var devices: [DeviceIndex] {
        self.heap.compactMap { if case .device(let event) = $0.event { event.device } else { nil } }
    }

    /// The tokens that are going to end.
    var tokenEnds: [RegistrationIndex] {
        self.heap.compactMap { if case .tokenEnds(let index) = $0.event { index } else { nil } }
    }

    mutating func schedule(_ event: ScheduledEvent, at due: Double) {
        self.insert(Entry(due: due, order: self.nextOrder, event: event))
        self.nextOrder += 1
    }

    /// Takes out the earliest entry, if its time has come.
    mutating func next(until now: Double) -> Entry? {
        guard self.nextDue <= now, let first = self.heap.first, let last = self.heap.popLast() else { return nil }
        if !self.heap.isEmpty {
            self.heap[0] = last
            self.siftDown()
        }
        self.nextDue = self.heap.first?.due ?? .infinity
        return first
    }

    private mutating func insert(_ entry: Entry) {
        self.heap.append(entry)
        var child = self.heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard self.heap[child].precedes(self.heap[parent]) else { break }
            self.heap.swapAt(child, parent)
            child = parent
        }
        self.nextDue = self.heap[0].due
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < self.heap.count && self.heap[child].precedes(self.heap[least]) {
                least = child
            }
            guard least != parent else { return }
            self.heap.swapAt(parent, least)
            parent = least
        }
    }
}

/// A scheduled event.
enum ScheduledEvent: Codable, Hashable, Sendable {
    /// A device does something.
    case device(DeviceTimerEvent)
    /// APNs marks a token unregistered.
    case tokenEnds(RegistrationIndex)
    /// A Live Activity changes.
    case activity(ActivityTimerEvent)
    /// A channel forgets its message.
    case channel(ChannelTimerEvent)
}

/// A possible transition of a Live Activity: it starts, becomes stale, ends or is dismissed, or its token is issued or
/// expires.
struct ActivityTimerEvent: Codable, Hashable, Sendable {
    /// The activity that looks at the clock then.
    var activity: ActivityID
}

/// Executes due events without calls: wakes on an event loop when the next event is due.
final class EventQueueRunner: Sendable {
    /// The shortest sleep, so that a slow or stopped clock uses almost no CPU time.
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

    func start(_ core: SimulatorCore, on eventLoop: any EventLoop) {
        self.state.withLock { state in
            state.eventLoop = eventLoop
            state.core = core
        }
        core.advanceWorld()
    }

    /// Stops; no further events are executed automatically.
    func stop() {
        let alarm = self.state.withLock { state in
            defer { state = State() }
            return state.alarm
        }
        alarm?.cancel()
        self.alarmDue.store(Double.infinity.bitPattern, ordering: .relaxed)
    }

    /// Records that an event is due at `due`, in seconds since 1970.
    func noteDue(_ due: Double) {
        guard due.bitPattern < self.alarmDue.load(ordering: .relaxed) else { return }
        self.setAlarm(due)
    }

    /// Records that the time was moved or runs at another speed.
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
            // Cannot trap: `bounded` is an hour at most, and both times are finite.
            state.alarm = eventLoop.scheduleTask(in: .nanoseconds(Int64(bounded * 1e9))) { [weak self, weak core] in
                self?.alarmDue.store(Double.infinity.bitPattern, ordering: .relaxed)
                core?.advanceWorld()
            }
        }
    }
}
