// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Bytes that grow at their end and are used again from the start, without an allocation once they are large enough.
struct ReusableByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        self.start = .allocate(capacity: capacity)
    }

    deinit {
        self.start.deallocate()
    }

    var isEmpty: Bool { self.count == 0 }

    /// All bytes, until the next change.
    var bytes: UnownedBytes { UnownedBytes(start: UnsafePointer(self.start), count: self.count) }

    /// Some of the bytes, until the next change.
    @inline(__always)
    func bytes(from offset: Int, count: Int) -> UnownedBytes {
        UnownedBytes(start: UnsafePointer(self.start + offset), count: count)
    }

    // MARK: Appending

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        self.reserve(1)
        self.start[self.count] = byte
        self.count &+= 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnownedBytes) {
        self.append(UnsafeRawBufferPointer(bytes))
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        self.reserve(bytes.count)
        UnsafeMutableRawPointer(self.start + self.count).copyMemory(from: source, byteCount: bytes.count)
        self.count &+= bytes.count
    }

    /// Appends an integer in its wire form, most significant byte first.
    @inline(__always)
    mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(_ integer: Integer) {
        self.reserve(MemoryLayout<Integer>.size)
        UnsafeMutableRawPointer(self.start + self.count)
            .storeBytes(of: integer.bigEndian, as: Integer.self)
        self.count &+= MemoryLayout<Integer>.size
    }

    // MARK: Changing

    @inline(__always)
    mutating func replace<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int, with integer: Integer) {
        UnsafeMutableRawPointer(self.start + offset).storeBytes(of: integer.bigEndian, as: Integer.self)
    }

    /// Makes room within the bytes, moving those from `offset` on.
    mutating func insert(_ bytes: UnownedBytes, at offset: Int) {
        self.reserve(bytes.count)
        let place = self.start + offset
        (place + bytes.count).update(from: place, count: self.count - offset)
        if let source = bytes.baseAddress { place.update(from: source, count: bytes.count) }
        self.count += bytes.count
    }

    mutating func removeFirst(_ removed: Int) {
        self.start.update(from: self.start + removed, count: self.count - removed)
        self.count -= removed
    }

    @inline(__always)
    mutating func removeAll() {
        self.count = 0
    }

    @inline(__always)
    private mutating func reserve(_ added: Int) {
        if self.count &+ added > self.capacity { self.grow(by: added) }
    }

    @inline(never)
    private mutating func grow(by added: Int) {
        self.capacity = max(2 * self.capacity, self.count + added)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: self.capacity)
        larger.update(from: self.start, count: self.count)
        self.start.deallocate()
        self.start = larger
    }
}

/// Bytes somewhere in memory that this code does not own.
typealias UnownedBytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
    /// The bytes of a constant of the program.
    init(_ text: StaticString) {
        self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// Whether two places hold the same bytes: eight at a time, without a call.
    @inline(__always)
    func isEqual(to other: Self) -> Bool {
        guard self.count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var offset = 0
        while offset &+ 8 <= self.count {
            let (a, b) = (
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            guard a == b else { return false }
            offset &+= 8
        }
        while offset < self.count {
            guard self[offset] == other[offset] else { return false }
            offset &+= 1
        }
        return true
    }

    @inline(__always)
    func isEqual(to text: StaticString) -> Bool { self.isEqual(to: Self(text)) }
}
