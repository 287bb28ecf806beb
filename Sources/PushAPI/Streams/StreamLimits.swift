// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a stream of notifications may take up.
public struct StreamLimits: Hashable, Sendable {
    /// How many streams are served at once; another one is refused.
    ///
    /// Default: 256.
    public var maximumStreams = 256

    /// The longest line, in bytes; a longer one is refused without being kept.
    ///
    /// Default: 16 KiB, several times Apple's largest payload.
    public var maximumLineBytes = 16 << 10

    /// How many lines are stored together.
    ///
    /// Range: 1...10,000. Default: 2,000.
    public var maximumChunkLines = 2000

    /// How long lines are gathered before they are stored, if there are not enough for a full chunk sooner.
    ///
    /// Default: 10 milliseconds.
    public var gatherTime: Duration = .milliseconds(10)

    /// How many lines of a stream may have been read whose outcome was not taken by the client yet; then no more are
    /// read.
    ///
    /// Default: 20,000.
    public var maximumOpenLines = 20_000

    /// How long outcomes are waited for after the last line.
    ///
    /// Default: 5 minutes.
    public var patience: Duration = .seconds(300)

    /// How long a client is given to end its request after the server has ended the stream.
    ///
    /// Default: 2 seconds. Then the connection is closed.
    public var closingTime: Duration = .seconds(2)

    /// The defaults.
    public init() {}
}
