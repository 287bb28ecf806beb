// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One frame as it came in (RFC 9113 section 4.1); its payload is valid until the next one is read.
struct Frame {
    /// What a client says before its first frame.
    static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    /// The bytes of a frame's header.
    static let headerCount = 9

    /// A frame's type, as it stands on the wire.
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

    /// What is left of the payload of DATA or HEADERS without its padding; `nil` where that is longer than the payload.
    @inline(__always)
    var unpadded: UnsafeRawBufferPointer? {
        guard self.has(Flag.padded) else { return self.payload }
        guard let padding = self.payload.first, Int(padding) < self.payload.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: self.payload[1..<self.payload.count - Int(padding)])
    }
}
