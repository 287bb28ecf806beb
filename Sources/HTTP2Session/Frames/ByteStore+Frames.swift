// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Frames as they go out (RFC 9113 section 6).
extension ByteStore {
    /// Appends what a client says before its first frame.
    mutating func appendPreface() {
        self.append(Bytes(Frame.preface))
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

    /// Completes the header of a HEADERS frame that was begun at `start`, now that its block is there.
    ///
    /// What is more than one frame may carry goes on in CONTINUATION frames.
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
            var header = ByteStore(capacity: Frame.headerCount)
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
