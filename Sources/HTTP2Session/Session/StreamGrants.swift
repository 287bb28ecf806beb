// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The limits of concurrent streams that a server announces but enforces itself.
///
/// libnghttp2 enforces a limit in one way only, so it is given a high one, and the SETTINGS frames that it writes are
/// changed on their way out to say the limit that is meant. A limit binds the client once it has acknowledged it;
/// between announcement and acknowledgement a stream beyond it is refused.
struct StreamGrants {
    /// One SETTINGS frame: the limit that it announces, or `nil` if it names none.
    private var unsent: [UInt32?] = []
    private var unacknowledged: [UInt32?] = []
    /// The limit announced last.
    private(set) var announced = UInt32.max
    /// The limit acknowledged last.
    private(set) var acknowledged = UInt32.max

    /// Takes note of a SETTINGS frame that was submitted.
    mutating func submit(_ limit: UInt32?) {
        self.unsent.append(limit)
        if let limit { self.announced = limit }
    }

    /// Changes a frame that is about to be written, where it is a SETTINGS frame that names a limit.
    ///
    /// - Parameter frame: one whole frame with its header (RFC 9113 sections 4.1 and 6.5).
    mutating func write(into frame: UnsafeMutableRawBufferPointer) {
        guard frame.count >= 9, frame[3] == 4, frame[4] & 1 == 0, !self.unsent.isEmpty else { return }
        let limit = self.unsent.removeFirst()
        self.unacknowledged.append(limit)
        guard let limit else { return }
        for entry in stride(from: 9, to: frame.count - 5, by: 6) where frame[entry] == 0 && frame[entry + 1] == 3 {
            withUnsafeBytes(of: limit.bigEndian) { bytes in
                UnsafeMutableRawBufferPointer(rebasing: frame[(entry + 2)..<(entry + 6)]).copyMemory(from: bytes)
            }
        }
    }

    /// The peer has acknowledged the oldest SETTINGS frame.
    mutating func acknowledge() {
        guard !self.unacknowledged.isEmpty else { return }
        if let limit = self.unacknowledged.removeFirst() { self.acknowledged = limit }
    }
}
