// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import NIOCore

/// How one HTTP/2 connection behaves.
public struct HTTP2ConnectionConfiguration: Sendable {
    /// Which side the connection is.
    public var role: HTTP2Session.Role

    /// What to announce.
    ///
    /// Defaults:
    /// ``HTTP2Settings/init(headerTableSize:maximumConcurrentStreams:initialWindowSize:maximumFrameSize:maximumHeaderListSize:)``.
    public var settings: HTTP2Settings

    /// What the peer may do before the connection is ended.
    public var limits: HTTP2Limits

    /// Whether a TLS handshake precedes the first byte of HTTP/2.
    ///
    /// Default: `true`; ``HTTP2Transport`` sets it itself.
    public var usesTLS: Bool

    /// Whether a peer that negotiated no application protocol at all is taken to speak HTTP/2.
    ///
    /// Default: `true` for a server, since clients of APNs in wide use send no ALPN; `false` for a client.
    public var acceptsMissingALPN: Bool

    /// How long the TLS handshake may take before the connection is closed.
    ///
    /// Default: 10 seconds.
    public var handshakeTimeout: TimeAmount

    /// A connection of one side with the documented defaults.
    public init(
        role: HTTP2Session.Role,
        settings: HTTP2Settings = HTTP2Settings(),
        limits: HTTP2Limits = HTTP2Limits(),
        usesTLS: Bool = true,
        acceptsMissingALPN: Bool? = nil,
        handshakeTimeout: TimeAmount = .seconds(10)
    ) {
        self.role = role
        self.settings = settings
        self.limits = limits
        self.usesTLS = usesTLS
        self.acceptsMissingALPN = acceptsMissingALPN ?? (role == .server)
        self.handshakeTimeout = handshakeTimeout
    }
}
