// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A header block that goes on in CONTINUATION frames (RFC 9113 section 6.10).
struct HeaderBlockAssembly {
    /// How many CONTINUATION frames one block may have: no header list that is accepted needs more.
    private static let maximumContinuations = 8

    let stream: Int32
    let endsStream: Bool
    private(set) var bytes: [UInt8]
    private var continuations = 0

    init(_ frame: Frame, fragment: UnsafeRawBufferPointer) {
        self.stream = frame.stream
        self.endsStream = frame.has(Frame.Flag.endStream)
        self.bytes = Array(fragment)
    }

    /// Adds a fragment; `false` when there are too many of them, or too much.
    mutating func append(_ fragment: UnsafeRawBufferPointer, maximumBytes: Int) -> Bool {
        self.continuations += 1
        self.bytes.append(contentsOf: fragment)
        return self.continuations <= Self.maximumContinuations && self.bytes.count <= maximumBytes
    }
}
