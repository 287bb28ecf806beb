// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The dynamic table of RFC 7541 section 2.3.2: the latest entry first, the oldest evicted.
///
/// The bytes of the entries are consecutive in one buffer; when it is full, those in use move to a new one.
struct HPACKDynamicTable: ~Copyable {
    private struct Entry {
        var offset = 0
        var nameCount = 0
        var valueCount = 0
        var kind = HeaderFieldKind.regular
        var isValueClean = true

        var bytes: Int { self.nameCount &+ self.valueCount }
    }

    private(set) var count = 0
    /// The size of the entries, as defined by RFC 7541 section 4.1.
    private(set) var size = 0
    private(set) var maximumSize: Int
    /// Changes whenever an index may mean another field than before.
    private(set) var version: UInt64 = 0

    /// A ring whose capacity is a power of two.
    private var entries: UnsafeMutablePointer<Entry>
    private var capacity = 32
    private var newest = 0
    private var bytes: UnsafeMutablePointer<UInt8>
    private var bytesCapacity = 2048
    private var bytesUsed = 0

    init(maximumSize: Int) {
        self.maximumSize = maximumSize
        self.entries = .allocate(capacity: self.capacity)
        self.entries.initialize(repeating: Entry(), count: self.capacity)
        self.bytes = .allocate(capacity: self.bytesCapacity)
    }

    deinit {
        self.entries.deallocate()
        self.bytes.deallocate()
    }

    /// The entry at a position, 0 being the latest; it is valid until the table changes.
    subscript(position: Int) -> HPACKField {
        let entry = self.entries[(self.newest &- position) & (self.capacity &- 1)]
        let start = UnsafePointer(self.bytes) + entry.offset
        return HPACKField(
            name: UnownedBytes(start: start, count: entry.nameCount),
            value: UnownedBytes(start: start + entry.nameCount, count: entry.valueCount),
            kind: entry.kind,
            isValueClean: entry.isValueClean
        )
    }

    /// The position of a whole field, or of a field that has the name.
    func position(name: UnownedBytes, value: UnownedBytes) -> (position: Int, isWhole: Bool)? {
        var named: Int?
        for position in 0..<self.count {
            let field = self[position]
            guard field.name.isEqual(to: name) else { continue }
            if field.value.isEqual(to: value) { return (position, true) }
            named = named ?? position
        }
        return named.map { ($0, false) }
    }

    /// Adds an entry, and evicts entries beyond the capacity; an entry that is too large for the table empties it.
    ///
    /// The field's bytes may be those of an entry that is evicted.
    ///
    /// - Returns: whether the field is in the table now.
    @discardableResult
    mutating func insert(_ field: HPACKField) -> Bool {
        self.version &+= 1
        guard field.size <= self.maximumSize else {
            self.evict(to: 0)
            return false
        }
        self.evict(to: self.maximumSize - field.size)
        if self.count == self.capacity { self.growEntries() }
        let entry = Entry(
            offset: 0,
            nameCount: field.name.count,
            valueCount: field.value.count,
            kind: field.kind,
            isValueClean: field.isValueClean
        )
        // Evicted bytes stay where they are until the new ones have been copied.
        let abandoned = self.bytesUsed + entry.bytes > self.bytesCapacity ? self.moveBytes(adding: entry.bytes) : nil
        defer { abandoned?.deallocate() }
        self.newest = (self.newest &+ 1) & (self.capacity &- 1)
        self.entries[self.newest] = entry
        self.entries[self.newest].offset = self.bytesUsed
        self.copy(field.name)
        self.copy(field.value)
        self.count += 1
        self.size += field.size
        return true
    }

    mutating func resize(to maximumSize: Int) {
        self.version &+= 1
        self.maximumSize = maximumSize
        self.evict(to: maximumSize)
    }

    private mutating func evict(to size: Int) {
        while self.size > size {
            let oldest = self.entries[(self.newest &- self.count &+ 1) & (self.capacity &- 1)]
            self.size -= oldest.bytes + HPACKField.overhead
            self.count -= 1
        }
        if self.count == 0 { self.size = 0 }
    }

    private mutating func copy(_ piece: UnownedBytes) {
        guard let start = piece.baseAddress else { return }
        (self.bytes + self.bytesUsed).update(from: start, count: piece.count)
        self.bytesUsed += piece.count
    }

    private mutating func growEntries() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * self.capacity)
        larger.initialize(repeating: Entry(), count: 2 * self.capacity)
        for position in 0..<self.count {
            larger[self.count - 1 - position] = self.entries[(self.newest &- position) & (self.capacity &- 1)]
        }
        self.entries.deallocate()
        self.entries = larger
        self.capacity *= 2
        self.newest = self.count - 1
    }

    /// Moves the bytes in use to a new place with room for as many again, and hands out the old place.
    private mutating func moveBytes(adding added: Int) -> UnsafeMutablePointer<UInt8> {
        let abandoned = self.bytes
        self.bytesCapacity = max(2048, 2 * (self.size + added))
        self.bytes = .allocate(capacity: self.bytesCapacity)
        self.bytesUsed = 0
        for position in stride(from: self.count - 1, through: 0, by: -1) {
            let index = (self.newest &- position) & (self.capacity &- 1)
            let entry = self.entries[index]
            self.entries[index].offset = self.bytesUsed
            self.copy(UnownedBytes(start: UnsafePointer(abandoned) + entry.offset, count: entry.bytes))
        }
        return abandoned
    }
}
