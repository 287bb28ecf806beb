// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The open streams of a connection, in slots that are reused, the last freed one first.
struct StreamTable: ~Copyable {
    private var records: UnsafeMutablePointer<StreamRecord>
    private var capacity: Int
    private var free = RingBuffer<Int32>()
    private var index: StreamIndex
    /// One beyond the highest slot that was ever in use.
    private(set) var slots = 0
    private(set) var count = 0

    init(capacity: Int = 64) {
        self.capacity = capacity
        self.records = .allocate(capacity: capacity)
        self.index = StreamIndex(capacity: 2 * capacity)
    }

    deinit {
        for slot in 0..<self.slots { self.records[slot].ownedBody?.deallocate() }
        self.records.deallocate()
    }

    /// The record in a slot, until a stream is opened.
    @inline(__always)
    subscript(slot: Int) -> UnsafeMutablePointer<StreamRecord> { self.records + slot }

    @inline(__always)
    func slot(of id: Int32) -> Int? { self.index[id] }

    /// The open stream that has the slot now, where one has.
    func stream(in slot: Int) -> HTTP2Stream? {
        guard slot >= 0, slot < self.slots, self.records[slot].id != 0 else { return nil }
        return HTTP2Stream(id: self.records[slot].id, slot: slot)
    }

    mutating func insert(_ record: StreamRecord) -> Int {
        let slot: Int
        if let freed = self.free.popLast() {
            slot = Int(freed)
        } else {
            if self.slots == self.capacity { self.grow() }
            slot = self.slots
            self.slots += 1
        }
        self.records.advanced(by: slot).initialize(to: record)
        self.index.insert(record.id, slot: slot)
        self.count += 1
        return slot
    }

    mutating func remove(_ slot: Int) {
        self.index.remove(self.records[slot].id)
        self.records[slot].ownedBody?.deallocate()
        self.records[slot].ownedBody = nil
        self.records[slot].id = 0
        self.free.append(Int32(truncatingIfNeeded: slot))
        self.count -= 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<StreamRecord>.allocate(capacity: self.capacity * 2)
        larger.moveInitialize(from: self.records, count: self.slots)
        self.records.deallocate()
        self.records = larger
        self.capacity *= 2
    }
}

/// From a stream's identifier to its slot: a hash table with open addressing that is never more than half full.
///
/// Its hash has a factor of the connection's own, so that no peer can choose identifiers that collide.
struct StreamIndex: ~Copyable {
    private struct Entry {
        var id: Int32 = 0
        var slot: Int32 = 0
    }

    private var entries: UnsafeMutablePointer<Entry>
    /// A power of two.
    private var capacity: Int
    private var count = 0
    private let factor = UInt64.random(in: .min ... .max) | 1

    init(capacity: Int) {
        self.capacity = capacity
        self.entries = .allocate(capacity: capacity)
        self.entries.initialize(repeating: Entry(), count: capacity)
    }

    deinit {
        self.entries.deallocate()
    }

    /// The slot of a stream; `nil` for one that is not open.
    @inline(__always)
    subscript(id: Int32) -> Int? {
        guard id != 0 else { return nil }
        var place = self.home(of: id)
        while self.entries[place].id != id {
            if self.entries[place].id == 0 { return nil }
            place = (place &+ 1) & (self.capacity &- 1)
        }
        return Int(self.entries[place].slot)
    }

    mutating func insert(_ id: Int32, slot: Int) {
        if 2 * self.count >= self.capacity { self.grow() }
        self.place(Entry(id: id, slot: Int32(truncatingIfNeeded: slot)))
        self.count += 1
    }

    /// Takes a stream out, and moves those behind it that would no longer be found.
    mutating func remove(_ id: Int32) {
        let mask = self.capacity &- 1
        var hole = self.home(of: id)
        while self.entries[hole].id != id {
            if self.entries[hole].id == 0 { return }
            hole = (hole &+ 1) & mask
        }
        self.count -= 1
        var next = (hole &+ 1) & mask
        while self.entries[next].id != 0 {
            let distance = (next &- self.home(of: self.entries[next].id)) & mask
            if distance >= (next &- hole) & mask {
                self.entries[hole] = self.entries[next]
                hole = next
            }
            next = (next &+ 1) & mask
        }
        self.entries[hole] = Entry()
    }

    @inline(__always)
    private func home(of id: Int32) -> Int {
        let hash = UInt64(UInt32(bitPattern: id)) &* self.factor
        return Int(truncatingIfNeeded: hash &>> 32) & (self.capacity &- 1)
    }

    private mutating func place(_ entry: Entry) {
        var place = self.home(of: entry.id)
        while self.entries[place].id != 0 { place = (place &+ 1) & (self.capacity &- 1) }
        self.entries[place] = entry
    }

    private mutating func grow() {
        let (old, oldCapacity) = (self.entries, self.capacity)
        self.capacity *= 2
        self.entries = .allocate(capacity: self.capacity)
        self.entries.initialize(repeating: Entry(), count: self.capacity)
        for place in 0..<oldCapacity where old[place].id != 0 { self.place(old[place]) }
        old.deallocate()
    }
}
