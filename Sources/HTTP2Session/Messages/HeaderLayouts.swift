// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The layouts of a connection's latest messages: a client has one for each job, a server one for each kind of answer.
struct HeaderLayouts: ~Copyable {
    /// How many layouts are kept, beyond those that messages wait for.
    private static let kept = 8

    private var layouts: UnsafeMutablePointer<HeaderLayout>
    private var capacity = Self.kept
    private var count = 0
    private var latest = 0
    private var uses: UInt64 = 0

    init() {
        self.layouts = .allocate(capacity: self.capacity)
    }

    deinit {
        self.layouts.deinitialize(count: self.count)
        self.layouts.deallocate()
    }

    /// The layout with this number, until another one is looked for.
    @inline(__always)
    subscript(index: Int) -> UnsafeMutablePointer<HeaderLayout> { self.layouts + index }

    /// The number of the layout that a table's fields have.
    mutating func index(of fields: borrowing HTTP2FieldTable) -> Int {
        if self.count == 0 || !self.layouts[self.latest].fits(fields) { self.latest = self.find(fields) }
        self.uses &+= 1
        self.layouts[self.latest].lastUse = self.uses
        return self.latest
    }

    private mutating func find(_ fields: borrowing HTTP2FieldTable) -> Int {
        var oldest: Int?
        for index in 0..<self.count {
            if self.layouts[index].fits(fields) { return index }
            guard self.layouts[index].waiting == 0 else { continue }
            if let known = oldest, self.layouts[known].lastUse < self.layouts[index].lastUse { continue }
            oldest = index
        }
        if self.count >= Self.kept, let oldest {
            self.layouts[oldest] = HeaderLayout(fields)
            return oldest
        }
        if self.count == self.capacity { self.grow() }
        (self.layouts + self.count).initialize(to: HeaderLayout(fields))
        self.count += 1
        return self.count - 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<HeaderLayout>.allocate(capacity: 2 * self.capacity)
        larger.moveInitialize(from: self.layouts, count: self.count)
        self.layouts.deallocate()
        self.layouts = larger
        self.capacity *= 2
    }
}
