// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import NIOSSL

/// The owner of one HTTP/2 connection: a session's events, and the connection's beginning and end.
///
/// Every call comes on the connection's event loop.
public protocol HTTP2ConnectionDelegate: HTTP2SessionDelegate {
    /// TLS is up and `h2` agreed on; requests may be submitted. The settings of the peer come later.
    ///
    /// - Parameters:
    ///   - connection: the connection that opened.
    ///   - peerCertificate: what the peer authenticated itself with, where it did.
    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?)

    /// A burst of input has been taken in: the moment to submit more before one write carries it all.
    func connectionDidReadBurst(_ connection: HTTP2Connection)

    /// The connection is gone, and every open stream with it. The last call that the delegate gets.
    ///
    /// - Parameters:
    ///   - connection: the connection that closed; it may never have opened.
    ///   - error: why, or `nil` when it was closed in good order.
    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?)
}
