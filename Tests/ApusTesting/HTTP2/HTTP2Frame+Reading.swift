// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a frame's payload says.
extension HTTP2Frame {
    /// The error code of RST_STREAM or GOAWAY.
    public var errorCode: UInt32? {
        switch self.kind {
        case .resetStream: self.number(at: 0)
        case .goAway: self.number(at: 4)
        default: nil
        }
    }

    /// The last stream that the sender of GOAWAY processed.
    public var lastStreamID: UInt32? { self.kind == .goAway ? self.number(at: 0) : nil }

    /// What follows the error code of GOAWAY, as text.
    public var debugText: String? {
        self.kind == .goAway ? String(decoding: self.payload.dropFirst(8), as: UTF8.self) : nil
    }

    /// How far WINDOW_UPDATE widens the window.
    public var windowIncrement: UInt32? { self.kind == .windowUpdate ? self.number(at: 0) : nil }

    /// Identifiers and values of SETTINGS.
    public var settings: [UInt16: UInt32]? {
        guard self.kind == .settings, self.payload.count.isMultiple(of: 6) else { return nil }
        var settings: [UInt16: UInt32] = [:]
        for start in stride(from: 0, to: self.payload.count, by: 6) {
            let identifier = UInt16(self.payload[start]) << 8 | UInt16(self.payload[start + 1])
            settings[identifier] = self.number(at: start + 2)
        }
        return settings
    }

    /// Whether the frame ends its side of the stream.
    public var endsStream: Bool {
        (self.kind == .data || self.kind == .headers) && self.flags.contains(.endStream)
    }

    private func number(at offset: Int) -> UInt32? {
        guard self.payload.count >= offset + 4 else { return nil }
        return self.payload[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
