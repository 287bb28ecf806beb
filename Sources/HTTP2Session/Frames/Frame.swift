// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One frame as it came in (RFC 9113 section 4.1); its payload is valid until the next one is read.
struct Frame {
    /// The connection preface of a client.
    static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    /// The bytes of a frame's header.
    static let headerCount = 9

    /// The type of a frame on the wire.
    enum Kind {
        static let data: UInt8 = 0x0
        static let headers: UInt8 = 0x1
        static let priority: UInt8 = 0x2
        static let resetStream: UInt8 = 0x3
        static let settings: UInt8 = 0x4
        static let pushPromise: UInt8 = 0x5
        static let ping: UInt8 = 0x6
        static let goAway: UInt8 = 0x7
        static let windowUpdate: UInt8 = 0x8
        static let continuation: UInt8 = 0x9
    }

    /// A frame's flags; their meaning depends on its type.
    enum Flag {
        static let acknowledgement: UInt8 = 0x1
        static let endStream: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }

    var kind: UInt8
    var flags: UInt8
    /// 0 for the connection.
    var stream: Int32
    var payload: UnsafeRawBufferPointer

    @inline(__always)
    func has(_ flag: UInt8) -> Bool { self.flags & flag != 0 }

    /// An integer of the payload; the payload must be long enough.
    @inline(__always)
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Integer.Type) -> Integer {
        Integer(bigEndian: self.payload.loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// A stream's identifier in the payload, without the reserved bit.
    @inline(__always)
    func streamID(at offset: Int) -> Int32 {
        Int32(truncatingIfNeeded: self.integer(at: offset, as: UInt32.self) & 0x7fff_ffff)
    }

    /// The payload of DATA or HEADERS without its padding; `nil` if the padding is longer than the payload.
    @inline(__always)
    var unpadded: UnsafeRawBufferPointer? {
        guard self.has(Flag.padded) else { return self.payload }
        guard let padding = self.payload.first, Int(padding) < self.payload.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: self.payload[1..<self.payload.count - Int(padding)])
    }
}

/// Frames as they go out (RFC 9113 section 6).
extension ReusableByteBuffer {
    /// Appends the connection preface of a client.
    mutating func appendPreface() {
        self.append(UnownedBytes(Frame.preface))
    }

    @inline(__always)
    mutating func appendHeader(_ kind: UInt8, flags: UInt8 = 0, stream: Int32, payload: Int) {
        self.append(UInt32(truncatingIfNeeded: payload) &<< 8 | UInt32(kind))
        self.append(flags)
        self.append(UInt32(bitPattern: stream))
    }

    mutating func appendSettings(_ settings: [(id: UInt16, value: UInt32)]) {
        self.appendHeader(Frame.Kind.settings, stream: 0, payload: 6 * settings.count)
        for setting in settings {
            self.append(setting.id)
            self.append(setting.value)
        }
    }

    mutating func appendSettingsAcknowledgement() {
        self.appendHeader(Frame.Kind.settings, flags: Frame.Flag.acknowledgement, stream: 0, payload: 0)
    }

    mutating func appendPing(_ payload: UInt64, isAcknowledgement: Bool) {
        let flags = isAcknowledgement ? Frame.Flag.acknowledgement : 0
        self.appendHeader(Frame.Kind.ping, flags: flags, stream: 0, payload: 8)
        self.append(payload)
    }

    mutating func appendGoAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: UnsafeRawBufferPointer) {
        self.appendHeader(Frame.Kind.goAway, stream: 0, payload: 8 + debugData.count)
        self.append(UInt32(bitPattern: lastStream))
        self.append(code.rawValue)
        self.append(debugData)
    }

    mutating func appendReset(_ stream: Int32, code: HTTP2ErrorCode) {
        self.appendHeader(Frame.Kind.resetStream, stream: stream, payload: 4)
        self.append(code.rawValue)
    }

    mutating func appendWindowUpdate(_ stream: Int32, by increment: Int) {
        self.appendHeader(Frame.Kind.windowUpdate, stream: stream, payload: 4)
        self.append(UInt32(truncatingIfNeeded: increment))
    }

    /// Completes the header of a HEADERS frame that starts at `start`, after its block was written.
    ///
    /// The part beyond the maximum frame size follows in CONTINUATION frames.
    @inline(__always)
    mutating func finishHeaders(at start: Int, maximumPayload: Int) {
        let payload = self.count &- start &- Frame.headerCount
        if payload > maximumPayload { return self.continueHeaders(at: start, maximumPayload: maximumPayload) }
        self.replace(at: start, with: UInt32(truncatingIfNeeded: payload) &<< 8 | UInt32(Frame.Kind.headers))
    }

    private mutating func continueHeaders(at start: Int, maximumPayload: Int) {
        let flags = self.bytes[start + 4]
        let stream = UInt32(
            bigEndian: UnsafeRawBufferPointer(self.bytes).loadUnaligned(fromByteOffset: start + 5, as: UInt32.self)
        )
        self.replace(at: start, with: UInt32(maximumPayload) << 8 | UInt32(Frame.Kind.headers))
        self.replace(at: start + 4, with: flags & ~Frame.Flag.endHeaders)
        var place = start + Frame.headerCount + maximumPayload
        while place < self.count {
            let payload = min(maximumPayload, self.count - place)
            let isLast = place + payload == self.count
            var header = ReusableByteBuffer(capacity: Frame.headerCount)
            header.appendHeader(
                Frame.Kind.continuation,
                flags: isLast ? Frame.Flag.endHeaders : 0,
                stream: Int32(bitPattern: stream),
                payload: payload
            )
            self.insert(header.bytes, at: place)
            place += Frame.headerCount + payload
        }
    }
}
