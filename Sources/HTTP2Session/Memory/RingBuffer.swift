// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A queue of plain values in one piece of memory that grows when it is full.
struct RingBuffer<Element: BitwiseCopyable>: ~Copyable {
    private var elements: UnsafeMutablePointer<Element>
    private var capacity: Int
    private var head = 0
    private(set) var count = 0

    init(capacity: Int = 64) {
        // Cannot trap: every capacity is a constant of the code.
        precondition(capacity > 0 && capacity & (capacity - 1) == 0)
        self.capacity = capacity
        self.elements = .allocate(capacity: capacity)
    }

    deinit {
        self.elements.deallocate()
    }

    var isEmpty: Bool { self.count == 0 }

    var first: Element? { self.count > 0 ? self.elements[self.head] : nil }

    @inline(__always)
    mutating func append(_ element: Element) {
        if self.count == self.capacity { self.grow() }
        (self.elements + ((self.head &+ self.count) & (self.capacity &- 1))).initialize(to: element)
        self.count &+= 1
    }

    @inline(__always)
    mutating func popFirst() -> Element? {
        guard self.count > 0 else { return nil }
        let element = self.elements[self.head]
        self.head = (self.head &+ 1) & (self.capacity &- 1)
        self.count &-= 1
        return element
    }

    @inline(__always)
    mutating func popLast() -> Element? {
        guard self.count > 0 else { return nil }
        self.count &-= 1
        return self.elements[(self.head &+ self.count) & (self.capacity &- 1)]
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * self.capacity)
        let untilEnd = min(self.count, self.capacity - self.head)
        larger.initialize(from: self.elements + self.head, count: untilEnd)
        (larger + untilEnd).initialize(from: self.elements, count: self.count - untilEnd)
        self.elements.deallocate()
        self.elements = larger
        self.capacity *= 2
        self.head = 0
    }
}
