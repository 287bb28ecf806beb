// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The header fields of one message, laid out once and used again for the next.
///
/// Names and borrowed values are pointers that must outlive the table (constants, a connection's own
/// buffers); copied values need only live until the message has been submitted.
public struct HTTP2HeaderList: ~Copyable {
    /// How a field's value is treated by the sender.
    public enum Value: Sendable {
        /// The bytes stay where they are until the message is on the wire; HPACK indexes them.
        case borrowed
        /// The bytes are copied on submission; HPACK indexes them.
        case copied
        /// The bytes are copied on submission and never enter the dynamic table: they differ each time.
        case copiedUnindexed
    }

    struct Field {
        var name: UnownedBytes
        var value: UnownedBytes
        /// Whether HPACK keeps the field: messages have it in common.
        var isIndexed: Bool
    }

    let fields: UnsafeMutablePointer<Field>
    public let capacity: Int
    public private(set) var count = 0

    public init(capacity: Int = 24) {
        self.capacity = capacity
        self.fields = .allocate(capacity: capacity)
    }

    deinit {
        self.fields.deallocate()
    }

    /// Forgets all fields beyond the first `count`, so that a constant beginning is laid out once only.
    public mutating func truncate(to count: Int) {
        self.count = min(count, self.count)
    }

    /// Adds a field.
    ///
    /// The name must be lower-case and live as long as the table.
    public mutating func append(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>, _ kind: Value) {
        // Cannot trap: a table's capacity is the number of fields that its owner lays out.
        precondition(self.count < self.capacity, "the table holds \(self.capacity) fields at most")
        let isIndexed =
            switch kind {
            case .borrowed, .copied: true
            case .copiedUnindexed: false
            }
        (self.fields + self.count).initialize(to: Field(name: UnownedBytes(name), value: value, isIndexed: isIndexed))
        self.count += 1
    }

    /// Replaces the value of a field, whose name and kind stay.
    public mutating func replaceValue(at index: Int, with value: UnsafeBufferPointer<UInt8>) {
        // Cannot trap: callers keep the index of a field that they appended.
        precondition(index < self.count)
        self.fields[index].value = value
    }

    /// Adds a field whose value is a constant of the program.
    public mutating func append(_ name: StaticString, _ value: StaticString) {
        self.append(name, UnownedBytes(value), .borrowed)
    }
}
