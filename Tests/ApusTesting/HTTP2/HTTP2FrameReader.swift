// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Cuts a stream of bytes into frames, in whatever pieces they come.
public struct HTTP2FrameReader: Sendable {
    private var bytes: [UInt8] = []
    private var position = 0

    /// A reader at the beginning of a connection.
    public init() {}

    /// How many bytes wait for the rest of their frame.
    public var unreadBytes: Int { self.bytes.count - self.position }

    /// Takes in more bytes.
    public mutating func append(_ more: some Collection<UInt8>) {
        if self.position > 1 << 16 {
            self.bytes.removeFirst(self.position)
            self.position = 0
        }
        self.bytes += more
    }

    /// Takes the client's preface off the beginning.
    ///
    /// Answers whether it was there.
    public mutating func takePreface() -> Bool {
        let preface = HTTP2Frame.clientPreface
        guard self.bytes[self.position...].starts(with: preface) else { return false }
        self.position += preface.count
        return true
    }

    /// The next whole frame, or `nil` until more bytes have come.
    public mutating func next() -> HTTP2Frame? {
        guard self.unreadBytes >= 9 else { return nil }
        let header = self.bytes[self.position..<self.position + 9].map(Int.init)
        let length = header[0] << 16 | header[1] << 8 | header[2]
        guard self.unreadBytes >= 9 + length else { return nil }
        let start = self.position + 9
        self.position = start + length
        return HTTP2Frame(
            HTTP2Frame.Kind(rawValue: UInt8(header[3])),
            flags: HTTP2Frame.Flags(rawValue: UInt8(header[4])),
            stream: UInt32(header[5] & 0x7f) << 24 | UInt32(header[6] << 16 | header[7] << 8 | header[8]),
            payload: Array(self.bytes[start..<self.position])
        )
    }

    /// All whole frames that have come.
    public mutating func frames() -> [HTTP2Frame] {
        var frames: [HTTP2Frame] = []
        while let frame = self.next() { frames.append(frame) }
        return frames
    }
}
