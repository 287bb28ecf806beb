// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import HTTP2Session

/// What goes wrong with a connection from its beginning.
public enum ConnectionFault: Sendable, Hashable {
    /// It is reset as soon as it was accepted.
    case refuse
    /// The server says nothing for a while, not even in the TLS handshake.
    case slowAccept(LatencyDistribution)
    /// TLS is not as it should be.
    case tls(TLSFault)
    /// The first frame is GOAWAY instead of SETTINGS, and the connection is closed behind it.
    case goAwayFirst(reason: RejectionReason, code: HTTP2ErrorCode, lastStreamID: Int32)
    /// The first SETTINGS are others: one stream, a tiny window.
    case settings(SettingsChange)
    /// It breaks in the middle.
    case cut(ConnectionCut)
    /// Everything that the server says is held back this long, in order: an injected round trip.
    ///
    /// It is drawn once for each connection.
    case roundTrip(LatencyDistribution)
    /// The server's bytes come in pieces of this many.
    case fragments(Int)
}
