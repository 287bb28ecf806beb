// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The common part of similar messages: names and order of their fields, and the constant values.
///
/// When all of these are in HPACK's table, the common part is a few bytes, which are reused as long as the table does
/// not change: a message then consists of these bytes with its own values between them.
struct HeaderTemplate: ~Copyable {
    private struct Part {
        var name: UnownedBytes
        /// Where the name was when the layout was made: names are constants of the program and stay there.
        var nameOrigin: UnsafePointer<UInt8>?
        /// The value that messages have in common; `nil` where each has its own.
        var value: UnownedBytes?
        /// Where in the encoded bytes a message's own value belongs.
        var cut = 0
    }

    private let parts: UnsafeMutableBufferPointer<Part>
    private let text: UnsafeMutablePointer<UInt8>
    private var encoded: ReusableByteBuffer
    private var encodedVersion: UInt64?
    /// Whether the message is a HEAD request, to which no body is the answer.
    let isHead: Bool
    /// How many messages of this layout wait to be written.
    var waiting = 0
    /// When the layout was last used, by the count of uses.
    var lastUse: UInt64 = 0

    /// Creates a layout from the fields of a table; it copies the required bytes.
    init(_ fields: borrowing HTTP2HeaderList) {
        var size = 0
        for index in 0..<fields.count {
            let field = fields.fields[index]
            size += field.name.count + (field.isIndexed ? field.value.count : 0)
        }
        self.text = .allocate(capacity: max(1, size))
        self.parts = .allocate(capacity: fields.count)
        self.encoded = ReusableByteBuffer(capacity: size + 16 * fields.count + 16)
        var used = 0
        var isHead = false
        for index in 0..<fields.count {
            let field = fields.fields[index]
            let name = Self.copy(field.name, to: self.text, at: &used)
            let value = field.isIndexed ? Self.copy(field.value, to: self.text, at: &used) : nil
            let part = Part(name: name, nameOrigin: field.name.baseAddress, value: value)
            self.parts.initializeElement(at: index, to: part)
            if name.isEqual(to: ":method"), field.value.isEqual(to: "HEAD") { isHead = true }
        }
        self.isHead = isHead
    }

    deinit {
        self.parts.deallocate()
        self.text.deallocate()
    }

    private static func copy(
        _ bytes: UnownedBytes,
        to text: UnsafeMutablePointer<UInt8>,
        at used: inout Int
    ) -> UnownedBytes {
        let place = text + used
        if let source = bytes.baseAddress { place.initialize(from: source, count: bytes.count) }
        used += bytes.count
        return UnownedBytes(start: UnsafePointer(place), count: bytes.count)
    }

    /// Whether a table's fields have this layout: only values that no message shares may differ.
    func fits(_ fields: borrowing HTTP2HeaderList) -> Bool {
        guard fields.count == self.parts.count else { return false }
        for index in 0..<fields.count {
            let field = fields.fields[index]
            let part = self.parts[index]
            guard field.name.baseAddress == part.nameOrigin, field.name.count == part.name.count else { return false }
            if let value = part.value {
                guard field.isIndexed, field.value.isEqual(to: value) else { return false }
            } else if field.isIndexed {
                return false
            }
        }
        return true
    }

    /// Appends a header block.
    ///
    /// `values` are the message's own values, as ``MessageQueue`` keeps them.
    @inline(__always)
    mutating func appendBlock(
        with values: UnownedBytes,
        encoder: inout HPACKEncoder,
        to output: inout ReusableByteBuffer
    ) {
        if self.encodedVersion != encoder.version { self.encode(encoder: &encoder) }
        var done = 0
        var values = MessageQueue.Values(values)
        for part in self.parts where part.value == nil {
            output.append(self.encoded.bytes(from: done, count: part.cut &- done))
            output.append(values.next())
            done = part.cut
        }
        output.append(self.encoded.bytes(from: done, count: self.encoded.count &- done))
    }

    /// Encodes the common part again.
    ///
    /// If that adds entries to the table, the recorded version is outdated already: the next message encodes it in
    /// fewer bytes.
    private mutating func encode(encoder: inout HPACKEncoder) {
        self.encodedVersion = encoder.version
        self.encoded.removeAll()
        for index in self.parts.indices {
            if let value = self.parts[index].value {
                encoder.append(self.parts[index].name, value, to: &self.encoded)
            } else {
                encoder.appendUnindexedName(self.parts[index].name, to: &self.encoded)
                self.parts[index].cut = self.encoded.count
            }
        }
    }
}

/// The layouts of a connection's latest messages: a client has one for each job, a server one for each kind of answer.
struct HeaderTemplates: ~Copyable {
    /// How many layouts are kept, beyond those that messages wait for.
    private static let kept = 8

    private var layouts: UnsafeMutablePointer<HeaderTemplate>
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
    subscript(index: Int) -> UnsafeMutablePointer<HeaderTemplate> { self.layouts + index }

    /// The number of the layout that a table's fields have.
    mutating func index(of fields: borrowing HTTP2HeaderList) -> Int {
        if self.count == 0 || !self.layouts[self.latest].fits(fields) { self.latest = self.find(fields) }
        self.uses &+= 1
        self.layouts[self.latest].lastUse = self.uses
        return self.latest
    }

    private mutating func find(_ fields: borrowing HTTP2HeaderList) -> Int {
        var oldest: Int?
        for index in 0..<self.count {
            if self.layouts[index].fits(fields) { return index }
            guard self.layouts[index].waiting == 0 else { continue }
            if let known = oldest, self.layouts[known].lastUse < self.layouts[index].lastUse { continue }
            oldest = index
        }
        if self.count >= Self.kept, let oldest {
            self.layouts[oldest] = HeaderTemplate(fields)
            return oldest
        }
        if self.count == self.capacity { self.grow() }
        (self.layouts + self.count).initialize(to: HeaderTemplate(fields))
        self.count += 1
        return self.count - 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<HeaderTemplate>.allocate(capacity: 2 * self.capacity)
        larger.moveInitialize(from: self.layouts, count: self.count)
        self.layouts.deallocate()
        self.layouts = larger
        self.capacity *= 2
    }
}
