// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Messages that were submitted and are not on the wire yet, each with the values that no other message shares.
///
/// Nothing is encoded before it is written: a message that is reset until then has left no trace in HPACK's table.
struct MessageQueue: ~Copyable {
    struct Message: BitwiseCopyable {
        var stream: Int32
        var slot: Int32
        var layout: Int32
        /// How many bytes its values take in the queue.
        var valueBytes: Int32
    }

    private var messages = RingBuffer<Message>(capacity: 1024)
    private var values = ReusableByteBuffer(capacity: 64 * 1024)
    /// Where the first message's values begin.
    private var firstValue = 0

    /// The message that is to be written next.
    var first: Message? { self.messages.first }

    var isEmpty: Bool { self.messages.isEmpty }

    /// The values of the first message, until the queue changes.
    @inline(__always)
    func values(of first: Message) -> UnownedBytes {
        self.values.bytes(from: self.firstValue, count: Int(first.valueBytes))
    }

    @inline(__always)
    mutating func append(_ fields: borrowing HTTP2HeaderList, layout: Int, stream: Int32, slot: Int) {
        let before = self.values.count
        for index in 0..<fields.count where !fields.fields[index].isIndexed {
            let value = fields.fields[index].value
            let start = self.values.count
            self.values.append(UInt32(0))
            self.values.append(string: value)
            self.values.replace(at: start, with: UInt32(truncatingIfNeeded: self.values.count &- start &- 4))
        }
        self.messages.append(
            Message(
                stream: stream,
                slot: Int32(truncatingIfNeeded: slot),
                layout: Int32(truncatingIfNeeded: layout),
                valueBytes: Int32(truncatingIfNeeded: self.values.count &- before)
            )
        )
    }

    @inline(__always)
    mutating func removeFirst() {
        guard let first = self.messages.popFirst() else { return }
        self.firstValue &+= Int(first.valueBytes)
        if self.messages.isEmpty {
            self.values.removeAll()
            self.firstValue = 0
        } else if self.firstValue > 64 * 1024, self.firstValue > self.values.count / 2 {
            self.values.removeFirst(self.firstValue)
            self.firstValue = 0
        }
    }

    /// The values of one message, encoded, in the order of its fields.
    struct Values {
        private var rest: UnsafeRawBufferPointer

        init(_ bytes: UnownedBytes) {
            self.rest = UnsafeRawBufferPointer(bytes)
        }

        @inline(__always)
        mutating func next() -> UnsafeRawBufferPointer {
            let count = Int(UInt32(bigEndian: self.rest.loadUnaligned(as: UInt32.self)))
            let value = UnsafeRawBufferPointer(rebasing: self.rest[4..<4 &+ count])
            self.rest = UnsafeRawBufferPointer(rebasing: self.rest[(4 &+ count)...])
            return value
        }
    }
}
