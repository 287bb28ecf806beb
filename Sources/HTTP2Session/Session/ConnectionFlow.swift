// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The windows of the connection itself, which all streams share (RFC 9113 section 6.9).
struct ConnectionFlow {
    /// What the peer takes of all bodies now.
    var sendWindow = RemoteSettings.defaultWindowSize
    /// What the peer may send of all bodies now.
    private var receiveWindow = RemoteSettings.defaultWindowSize
    /// What it has sent since it was last granted more.
    private var received = 0

    /// Takes note of DATA, padding and all; `false` when the peer has sent more than it was granted.
    @inline(__always)
    mutating func receive(_ count: Int) -> Bool {
        guard count <= self.receiveWindow else { return false }
        self.receiveWindow &-= count
        self.received &+= count
        return true
    }

    /// What the peer is to be granted now: nothing until it has used up half of its window.
    mutating func grant() -> Int? {
        guard self.received >= RemoteSettings.defaultWindowSize / 2 else { return nil }
        defer { self.received = 0 }
        self.receiveWindow += self.received
        return self.received
    }
}
