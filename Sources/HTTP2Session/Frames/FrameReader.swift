// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Cuts a peer's bytes into frames.
///
/// A frame that lies whole in the input is read where it is; one that comes in pieces is put together in one buffer,
/// which never holds more than the largest frame.
struct FrameReader: ~Copyable {
    enum Result {
        /// The input is used up.
        case needsMore
        case frame(Frame)
        /// The next frame's payload is larger than the announced maximum; it is not read.
        case tooLarge(kind: UInt8)
        /// The peer's first bytes are not those of a client of HTTP/2.
        case notHTTP2
    }

    private let maximumPayload: Int
    private var prefaceLeft: Int
    private var partial = ReusableByteBuffer(capacity: 1024)
    /// The size of the frame that is being put together, once its header is there.
    private var partialSize: Int?

    init(maximumPayload: Int, expectsPreface: Bool) {
        self.maximumPayload = maximumPayload
        self.prefaceLeft = expectsPreface ? Frame.preface.utf8CodeUnitCount : 0
    }

    /// Takes the next frame from the beginning of `input`.
    @inline(__always)
    mutating func next(_ input: inout UnsafeRawBufferPointer) -> Result {
        if self.prefaceLeft > 0, !self.takePreface(&input) { return .notHTTP2 }
        if !self.partial.isEmpty { return self.nextInPieces(&input) }
        guard input.count >= Frame.headerCount else {
            self.keep(input.count, of: &input)
            return .needsMore
        }
        let payload = Self.payloadCount(input)
        guard payload <= self.maximumPayload else { return .tooLarge(kind: input[3]) }
        let size = Frame.headerCount &+ payload
        guard input.count >= size else {
            self.partialSize = size
            self.keep(input.count, of: &input)
            return .needsMore
        }
        let frame = Self.frame(input, size: size)
        input = UnsafeRawBufferPointer(rebasing: input[size...])
        return .frame(frame)
    }

    /// Forgets a frame that was put together; it has been dealt with.
    @inline(__always)
    mutating func discardFrame() {
        if let size = self.partialSize, self.partial.count == size {
            self.partial.removeAll()
            self.partialSize = nil
        }
    }

    private mutating func nextInPieces(_ input: inout UnsafeRawBufferPointer) -> Result {
        if self.partialSize == nil {
            self.keep(Frame.headerCount - self.partial.count, of: &input)
            guard self.partial.count >= Frame.headerCount else { return .needsMore }
            let header = UnsafeRawBufferPointer(self.partial.bytes)
            let payload = Self.payloadCount(header)
            guard payload <= self.maximumPayload else { return .tooLarge(kind: header[3]) }
            self.partialSize = Frame.headerCount + payload
        }
        guard let size = self.partialSize else { return .needsMore }
        self.keep(size - self.partial.count, of: &input)
        guard self.partial.count == size else { return .needsMore }
        return .frame(Self.frame(UnsafeRawBufferPointer(self.partial.bytes), size: size))
    }

    private mutating func keep(_ count: Int, of input: inout UnsafeRawBufferPointer) {
        let taken = min(count, input.count)
        self.partial.append(UnsafeRawBufferPointer(rebasing: input[..<taken]))
        input = UnsafeRawBufferPointer(rebasing: input[taken...])
    }

    private mutating func takePreface(_ input: inout UnsafeRawBufferPointer) -> Bool {
        let taken = min(self.prefaceLeft, input.count)
        let preface = UnownedBytes(Frame.preface)
        let done = preface.count - self.prefaceLeft
        for offset in 0..<taken where input[offset] != preface[done + offset] { return false }
        self.prefaceLeft -= taken
        input = UnsafeRawBufferPointer(rebasing: input[taken...])
        return true
    }

    @inline(__always)
    private static func payloadCount(_ header: UnsafeRawBufferPointer) -> Int {
        Int(UInt32(bigEndian: header.loadUnaligned(as: UInt32.self)) &>> 8)
    }

    @inline(__always)
    private static func frame(_ bytes: UnsafeRawBufferPointer, size: Int) -> Frame {
        Frame(
            kind: bytes[3],
            flags: bytes[4],
            stream: Int32(
                truncatingIfNeeded: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 5, as: UInt32.self))
                    & 0x7fff_ffff
            ),
            payload: UnsafeRawBufferPointer(rebasing: bytes[Frame.headerCount..<size])
        )
    }
}
