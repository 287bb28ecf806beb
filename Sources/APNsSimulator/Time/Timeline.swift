// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What is going to happen, the earliest first; at the same time, in the order in which it was planned.
///
/// A binary heap.
struct Timeline: Codable, Sendable {
    /// Something with its time.
    struct Entry: Codable, Hashable, Sendable {
        /// When it happens, in seconds since 1970.
        var due: Double
        /// The place among those of the same time.
        var order: UInt64
        /// What happens.
        var event: TimedEvent

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

    /// Nothing is going to happen.
    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let entries = try container.decode([Entry].self, forKey: .heap)
        for entry in entries.sorted(by: { $0.precedes($1) }) { self.schedule(entry.event, at: entry.due) }
    }

    /// How many entries there are.
    var count: Int { self.heap.count }

    /// The devices to which something is going to happen.
    var devices: [DeviceIndex] {
        self.heap.compactMap { if case .device(let event) = $0.event { event.device } else { nil } }
    }

    /// The tokens that are going to end.
    var tokenEnds: [RegistrationIndex] {
        self.heap.compactMap { if case .tokenEnds(let index) = $0.event { index } else { nil } }
    }

    /// Plans something.
    mutating func schedule(_ event: TimedEvent, at due: Double) {
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
