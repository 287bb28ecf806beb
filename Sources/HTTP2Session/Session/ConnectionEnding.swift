// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How far a connection is on the way to its end.
struct ConnectionEnding {
    /// GOAWAY was submitted and nothing more is read.
    var isTerminated = false
    /// Why this side decided to end the connection.
    var failure: HTTP2SessionError?
    /// The last stream that the peer's latest GOAWAY named; `nil` before one has come.
    var remoteLastStream: Int32?
    /// The last stream that GOAWAYs of this side have named.
    private(set) var localLastStream = Int32.max
    /// Streams above ``localLastStream`` are to be closed when GOAWAY is written.
    var closesStreams = false

    /// Whether either side has said that it takes no more streams.
    ///
    /// A GOAWAY that names the highest identifier only warns of one to come.
    var isAnnounced: Bool { self.remoteLastStream != nil || self.localLastStream < .max }

    /// Takes note of a GOAWAY that is submitted, whose last stream never grows, and says which one it may name.
    mutating func announce(lastStream: Int32) -> Int32 {
        self.localLastStream = min(self.localLastStream, lastStream)
        self.closesStreams = true
        return self.localLastStream
    }
}
