// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The open streams of a connection, in slots that are given out again, newest freed first.
struct StreamTable: ~Copyable {
    private var records: UnsafeMutablePointer<StreamRecord>
    private var capacity: Int
    private var free = Ring<Int32>()
    private var index: StreamIndex
    /// One beyond the highest slot that was ever in use.
    private(set) var slots = 0
    /// How many streams are open.
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

    /// The slot of a stream that is open.
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
