// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import NIOCore
import NIOPosix
public import NIOSSL

/// Sockets that carry HTTP/2 connections: TCP with `TCP_NODELAY`, TLS where asked for.
public enum HTTP2Transport {
    /// How much is read from a socket at once.
    ///
    /// Fixed, since an adaptive buffer shrinks between bursts.
    private static let receiveBufferSize = 64 * 1024

    /// Connects to a server and adds an ``HTTP2Connection`` to the socket.
    ///
    /// Each call resolves the host name. `tls` should offer only `h2`; `nil` connects without TLS and overrides
    /// ``HTTP2ConnectionConfiguration/usesTLS``. `serverName` is the name that the server's certificate must have;
    /// `nil` for an address. `port` is 1...65,535. `connectTimeout` limits only TCP, not TLS. `delegate` is called on
    /// the event loop.
    ///
    /// - Returns: a future of the channel, which completes when TCP is connected; TLS follows.
    public static func connect(
        host: String,
        port: Int,
        tls: NIOSSLContext?,
        serverName: String?,
        on eventLoop: any EventLoop,
        connectTimeout: TimeAmount = .seconds(10),
        configuration: HTTP2ConnectionConfiguration,
        delegate: @escaping @Sendable () -> any HTTP2ConnectionDelegate
    ) -> EventLoopFuture<any Channel> {
        var configuration = configuration
        configuration.usesTLS = tls != nil
        let settled = configuration
        return ClientBootstrap(group: eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: Self.receiveBufferSize)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: serverName)
                        )
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        HTTP2Connection(configuration: settled, delegate: delegate())
                    )
                }
            }
            .connect(host: host, port: port)
    }

    /// Listens, and puts an ``HTTP2Connection`` on every socket that is accepted.
    ///
    /// Port 0 picks a free port. If `tls` is `nil`, it serves in the clear. `delegate` makes the owner of each
    /// connection, on the connection's event loop.
    ///
    /// - Returns: a future of the listening channel.
    public static func listen(
        host: String,
        port: Int,
        tls: NIOSSLContext?,
        group: any EventLoopGroup,
        configuration: HTTP2ConnectionConfiguration,
        delegate: @escaping @Sendable (any Channel) -> any HTTP2ConnectionDelegate
    ) -> EventLoopFuture<any Channel> {
        var configuration = configuration
        configuration.usesTLS = tls != nil
        let settled = configuration
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: Self.receiveBufferSize)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        HTTP2Connection(configuration: settled, delegate: delegate(channel))
                    )
                }
            }
            .bind(host: host, port: port)
    }
}
