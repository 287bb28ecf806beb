// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One HTTP/2 frame as it stands on the wire (RFC 9113 section 4.1), right or wrong.
///
/// Nothing is checked: it is made for peers that break rules.
public struct HTTP2Frame: Sendable, Hashable {
    /// A frame's type.
    ///
    /// Unknown types survive.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The type as it stands in the frame's header.
        public let rawValue: UInt8

        /// A type by its number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A piece of a body.
        public static let data = Self(rawValue: 0x0)
        /// Opens a stream, or carries a response or trailers.
        public static let headers = Self(rawValue: 0x1)
        /// The deprecated priority of a stream.
        public static let priority = Self(rawValue: 0x2)
        /// Ends one stream.
        public static let resetStream = Self(rawValue: 0x3)
        /// Announces or acknowledges settings.
        public static let settings = Self(rawValue: 0x4)
        /// Announces a stream of the server.
        public static let pushPromise = Self(rawValue: 0x5)
        /// Asks for, or gives, a sign of life.
        public static let ping = Self(rawValue: 0x6)
        /// Takes no more streams.
        public static let goAway = Self(rawValue: 0x7)
        /// Widens a flow-control window.
        public static let windowUpdate = Self(rawValue: 0x8)
        /// Goes on with a header block.
        public static let continuation = Self(rawValue: 0x9)
    }

    /// A frame's flags; their meaning depends on the type.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The flags as they stand in the frame's header.
        public let rawValue: UInt8

        /// Flags by their bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// SETTINGS and PING: an acknowledgement.
        public static let acknowledgement = Self(rawValue: 0x1)
        /// DATA and HEADERS: the last frame of this side of the stream.
        public static let endStream = Self(rawValue: 0x1)
        /// HEADERS and CONTINUATION: the header block ends here.
        public static let endHeaders = Self(rawValue: 0x4)
        /// DATA and HEADERS: the payload is padded.
        public static let padded = Self(rawValue: 0x8)
        /// HEADERS: a priority precedes the header block.
        public static let priority = Self(rawValue: 0x20)
    }

    /// What the frame is.
    public var kind: Kind
    /// The frame's flags.
    public var flags: Flags
    /// The stream; 0 for the connection.
    public var streamID: UInt32
    /// What follows the header of nine bytes.
    public var payload: [UInt8]

    /// A frame of any kind.
    public init(_ kind: Kind, flags: Flags = [], stream streamID: UInt32 = 0, payload: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.streamID = streamID
        self.payload = payload
    }

    /// What a client sends before its first frame.
    public static let clientPreface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The frame on the wire.
    public var bytes: [UInt8] { self.bytes(claiming: self.payload.count) }

    /// The frame on the wire with a header that tells another length than the payload has.
    public func bytes(claiming length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(9 + self.payload.count)
        bytes += [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
        bytes += [UInt8(truncatingIfNeeded: length), self.kind.rawValue, self.flags.rawValue]
        bytes += Self.bigEndian(self.streamID)
        bytes += self.payload
        return bytes
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xff), UInt8(value >> 8 & 0xff), UInt8(value & 0xff)]
    }
}
