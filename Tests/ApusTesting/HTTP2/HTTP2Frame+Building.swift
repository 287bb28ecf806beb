// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Frames by hand.
extension HTTP2Frame {
    /// SETTINGS of identifiers and values.
    public static func settings(_ entries: KeyValuePairs<UInt16, UInt32> = [:]) -> Self {
        var payload: [UInt8] = []
        for (identifier, value) in entries {
            payload += [UInt8(identifier >> 8), UInt8(identifier & 0xff)] + self.bigEndian(value)
        }
        return Self(.settings, payload: payload)
    }

    /// The acknowledgement of SETTINGS.
    public static let settingsAcknowledgement = Self(.settings, flags: .acknowledgement)

    /// HEADERS with a header block or its beginning.
    public static func headers(
        _ stream: UInt32,
        _ block: HPACKBlock,
        endStream: Bool = true,
        endHeaders: Bool = true
    ) -> Self {
        var flags: Flags = []
        if endStream { flags.insert(.endStream) }
        if endHeaders { flags.insert(.endHeaders) }
        return Self(.headers, flags: flags, stream: stream, payload: block.bytes)
    }

    /// CONTINUATION with more of a header block.
    public static func continuation(_ stream: UInt32, _ block: HPACKBlock = HPACKBlock(), endHeaders: Bool) -> Self {
        Self(.continuation, flags: endHeaders ? .endHeaders : [], stream: stream, payload: block.bytes)
    }

    /// DATA with a piece of a body.
    public static func data(_ stream: UInt32, _ bytes: [UInt8] = [], endStream: Bool = false) -> Self {
        Self(.data, flags: endStream ? .endStream : [], stream: stream, payload: bytes)
    }

    /// RST_STREAM with an error code.
    public static func reset(_ stream: UInt32, code: UInt32 = 0x8) -> Self {
        Self(.resetStream, stream: stream, payload: self.bigEndian(code))
    }

    /// PING with eight bytes.
    public static func ping(_ bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8], acknowledgement: Bool = false) -> Self {
        Self(.ping, flags: acknowledgement ? .acknowledgement : [], payload: bytes)
    }

    /// GOAWAY with the last stream that was processed.
    public static func goAway(lastStream: UInt32, code: UInt32 = 0, debugData: [UInt8] = []) -> Self {
        Self(.goAway, payload: self.bigEndian(lastStream) + self.bigEndian(code) + debugData)
    }

    /// WINDOW_UPDATE of a stream, or of the connection with stream 0.
    public static func windowUpdate(_ stream: UInt32, by increment: UInt32) -> Self {
        Self(.windowUpdate, stream: stream, payload: self.bigEndian(increment))
    }

    /// PRIORITY of a stream.
    public static func priority(_ stream: UInt32, dependsOn parent: UInt32 = 0, weight: UInt8 = 15) -> Self {
        Self(.priority, stream: stream, payload: self.bigEndian(parent) + [weight])
    }

    /// PUSH_PROMISE of another stream.
    public static func pushPromise(_ stream: UInt32, promising promised: UInt32, _ block: HPACKBlock) -> Self {
        Self(.pushPromise, flags: .endHeaders, stream: stream, payload: self.bigEndian(promised) + block.bytes)
    }
}
