// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import NIOCore

/// What a peer may do before its connection is ended.
public struct HTTP2Limits: Sendable, Equatable {
    /// How many frames that cost the peer little and us much a peer may send at once.
    ///
    /// These are SETTINGS, PING, RST_STREAM, PRIORITY, GOAWAY, empty DATA, interim responses and requests that
    /// break the protocol. Default: 2,000. A peer that goes beyond is answered GOAWAY `ENHANCE_YOUR_CALM`.
    public var controlFrameBurst: Int

    /// How fast the allowance of ``controlFrameBurst`` comes back.
    ///
    /// Unit: frames a second. Default: 200.
    public var controlFramesPerSecond: Int

    /// How many bytes may wait for a peer that does not read before no more are produced.
    ///
    /// Default: 1 MiB.
    public var maximumPendingOutput: Int

    /// How many header fields one header block may hold.
    ///
    /// Default: 100.
    public var maximumHeaderFields: Int

    /// How many streams a client may have open at a server that announces no limit or a higher one.
    ///
    /// Default: 10,000. A peer that goes beyond is answered GOAWAY `ENHANCE_YOUR_CALM`. It bounds what a peer
    /// that asks and never reads can make a server keep.
    public var maximumOpenStreams: Int

    /// What a server does with a stream that its client opens beyond the limit that it has acknowledged.
    ///
    /// Default: `protocolError`.
    public var streamExcess: HTTP2StreamExcess

    /// How long output may wait for a peer that takes nothing before the connection is closed.
    ///
    /// Default: 60 seconds.
    public var stallTimeout: TimeAmount

    /// Limits with the documented defaults.
    public init(
        controlFrameBurst: Int = 2000,
        controlFramesPerSecond: Int = 200,
        maximumPendingOutput: Int = 1 << 20,
        maximumHeaderFields: Int = 100,
        maximumOpenStreams: Int = 10_000,
        streamExcess: HTTP2StreamExcess = .protocolError,
        stallTimeout: TimeAmount = .seconds(60)
    ) {
        self.controlFrameBurst = controlFrameBurst
        self.controlFramesPerSecond = controlFramesPerSecond
        self.maximumPendingOutput = maximumPendingOutput
        self.maximumHeaderFields = maximumHeaderFields
        self.maximumOpenStreams = maximumOpenStreams
        self.streamExcess = streamExcess
        self.stallTimeout = stallTimeout
    }
}
