// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a session keeps for each open stream: its body still to be sent, and how far the exchange has come.
struct StreamRecord {
    var id: Int32 = 0
    /// The next byte of the body to send.
    ///
    /// Borrowed from the owner, or within ``ownedBody``.
    var bodyCursor: UnsafeRawPointer?
    var bodyRemaining = 0
    /// How many bytes of the body one DATA frame carries at most.
    var maximumFrame = Int.max
    /// A copy of the body that this record frees; `nil` when the body is borrowed.
    var ownedBody: UnsafeMutableRawPointer?
    /// Bytes of the header list received so far, counted as RFC 9113 section 6.5.2 does.
    var headerListSize: UInt32 = 0
    var headerFields = 0
    /// Complete header blocks received.
    var headerBlocks = 0
    /// A response has been submitted.
    var isAnswered = false
    /// The peer has ended its side of the stream.
    var isRemoteEnded = false
    /// One side has asked for the stream's end with RST_STREAM.
    var isReset = false
}

/// A table of streams whose slots are given out again, newest freed first.
struct StreamTable: ~Copyable {
    private(set) var records: UnsafeMutablePointer<StreamRecord>
    private var capacity: Int
    private var free: [Int32] = []
    private var used = 0

    /// How many streams are in the table.
    var count: Int { self.used - self.free.count }

    /// The stream that has the slot now, where one has.
    func openStream(in slot: Int) -> Int32? {
        guard slot >= 0, slot < self.used, self.records[slot].id != 0 else { return nil }
        return self.records[slot].id
    }

    init(capacity: Int = 64) {
        self.capacity = capacity
        self.records = .allocate(capacity: capacity)
    }

    deinit {
        for slot in 0..<self.used { self.records[slot].ownedBody?.deallocate() }
        self.records.deallocate()
    }

    mutating func insert(_ record: StreamRecord) -> Int {
        if let slot = self.free.popLast() {
            self.records[Int(slot)] = record
            return Int(slot)
        }
        if self.used == self.capacity { self.grow() }
        self.records.advanced(by: self.used).initialize(to: record)
        self.used += 1
        return self.used - 1
    }

    mutating func remove(_ slot: Int) {
        self.records[slot].ownedBody?.deallocate()
        self.records[slot] = StreamRecord()
        self.free.append(Int32(slot))
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<StreamRecord>.allocate(capacity: self.capacity * 2)
        larger.moveInitialize(from: self.records, count: self.used)
        self.records.deallocate()
        self.records = larger
        self.capacity *= 2
    }
}
