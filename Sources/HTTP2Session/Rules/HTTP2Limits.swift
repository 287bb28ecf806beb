// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import NIOCore

/// The limits of a peer, beyond which its connection is ended.
public struct HTTP2Limits: Sendable, Equatable {
    /// How many frames that cost the peer little and us much a peer may send at once.
    ///
    /// These are SETTINGS, PING, RST_STREAM, PRIORITY, GOAWAY, frames of unknown types, empty DATA, HEADERS on closed
    /// streams, interim responses and requests that break the protocol. WINDOW_UPDATE and requests that come after a
    /// GOAWAY count a quarter. Default: 2,000. A peer that goes beyond is answered GOAWAY `ENHANCE_YOUR_CALM`.
    public var controlFrameBurst: Int

    /// How fast the allowance of ``controlFrameBurst`` comes back.
    ///
    /// Unit: frames a second. Default: 200.
    public var controlFramesPerSecond: Int

    /// The maximum number of bytes that wait for a peer that does not read; then no more are produced.
    ///
    /// Default: 1 MiB.
    public var maximumPendingOutput: Int

    /// How many header fields one header block may hold.
    ///
    /// Default: 100.
    public var maximumHeaderFields: Int

    /// The maximum number of streams that a client may open at a server that announces no limit or a higher one.
    ///
    /// Default: 10,000. A peer beyond it receives GOAWAY `ENHANCE_YOUR_CALM`. It bounds the memory that a peer can
    /// occupy that sends requests and never reads.
    public var maximumOpenStreams: Int

    /// The policy of a server for a stream that its client opens beyond the limit that it has acknowledged.
    ///
    /// Default: `protocolError`.
    public var streamExcess: HTTP2StreamLimitPolicy

    /// How long output may wait for a peer that takes nothing before the connection is closed.
    ///
    /// Default: 60 seconds.
    public var stallTimeout: TimeAmount

    public init(
        controlFrameBurst: Int = 2000,
        controlFramesPerSecond: Int = 200,
        maximumPendingOutput: Int = 1 << 20,
        maximumHeaderFields: Int = 100,
        maximumOpenStreams: Int = 10_000,
        streamExcess: HTTP2StreamLimitPolicy = .protocolError,
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

/// The policy of a server for a stream that its client opens beyond the limit that it has acknowledged.
public enum HTTP2StreamLimitPolicy: Sendable, Hashable {
    /// The connection is ended with `PROTOCOL_ERROR`.
    case protocolError
    /// The stream is reset with `REFUSED_STREAM`; the client may send the request again.
    case refuse
    /// The connection is ended: GOAWAY with this code and this text.
    case goAway(HTTP2ErrorCode, String)
    /// The stream is served all the same; the limit is announced and not enforced.
    case serve
}

/// A token bucket over the frames that cost a peer little and us much.
///
/// A rapid reset, a flood of SETTINGS or of PING is a series of frames that no honest peer sends at
/// that rate. Every finished request gives one frame back, so that a busy honest peer is never refused.
struct FloodLimiter {
    /// The cost of a frame that an honest peer sends several times for a request, or for many requests at once.
    static let lowCost = 0.25

    private let burst: Double
    private let perSecond: Double
    private var allowance: Double
    private var refilled: NIODeadline?

    init(limits: HTTP2Limits) {
        self.burst = Double(limits.controlFrameBurst)
        self.perSecond = Double(limits.controlFramesPerSecond)
        self.allowance = self.burst
    }

    /// Takes note of one control frame, which costs `cost` of the allowance.
    ///
    /// Returns `false` when the peer has used up its allowance.
    mutating func admitControlFrame(now: NIODeadline, cost: Double) -> Bool {
        if let refilled = self.refilled {
            let seconds = Double((now - refilled).nanoseconds) / 1e9
            self.allowance = min(self.burst, self.allowance + max(0, seconds) * self.perSecond)
        }
        self.refilled = now
        self.allowance -= cost
        return self.allowance >= 0
    }

    /// Returns one frame to the budget for a request that completed regularly, or that the owner cancelled.
    mutating func requestFinished() {
        self.allowance = min(self.burst, self.allowance + 1)
    }
}
