// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One open stream of a session.
///
/// `slot` is dense: it counts from zero, is used by one open stream at a time and given out again when
/// that stream has closed. An owner keeps what it knows of its streams in an array indexed by it.
public struct HTTP2Stream: Hashable, Sendable, BitwiseCopyable {
    /// The stream's identifier on the wire.
    ///
    /// Odd for streams that a client opened.
    public let id: Int32
    /// The stream's place in tables of its owner.
    public let slot: Int

    init(id: Int32, slot: Int) {
        self.id = id
        self.slot = slot
    }
}
