// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore
import NIOEmbedded

/// A connection on a channel without a socket, and a raw peer behind it.
final class EmbeddedPeer {
    let channel = EmbeddedChannel()
    let recorder: SessionRecorder
    var peer: RawHTTP2Peer
    /// How many bytes each write to the transport had.
    private(set) var writes: [Int] = []

    init(
        _ role: HTTP2Session.Role,
        settings: HTTP2Settings = HTTP2Settings(),
        limits: HTTP2Limits = HTTP2Limits(),
        _ reaction: @escaping SessionRecorder.Reaction = { _, _ in }
    ) throws {
        self.peer = RawHTTP2Peer(role == .server ? .client : .server)
        self.recorder = SessionRecorder(reaction)
        let configuration = HTTP2ConnectionConfiguration(
            role: role,
            settings: settings,
            limits: limits,
            usesTLS: false
        )
        let connection = HTTP2Connection(configuration: configuration, delegate: self.recorder)
        try self.channel.pipeline.syncOperations.addHandler(connection)
        try self.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        self.peer.sendHello([0x3: 1000])
        try self.run()
    }

    deinit {
        // An open connection and its delegate hold each other.
        _ = try? self.channel.finish(acceptAlreadyClosed: true)
    }

    /// Gives the connection what the peer said, and the peer what the connection wrote.
    func run() throws {
        let bytes = self.peer.takeOutput()
        if !bytes.isEmpty { try self.channel.writeInbound(ByteBuffer(bytes: bytes)) }
        try self.hear()
    }

    /// Runs the event loop's turn and gives the peer what the connection wrote.
    func hear() throws {
        self.channel.embeddedEventLoop.run()
        while let written = try self.channel.readOutbound(as: ByteBuffer.self) {
            self.writes.append(written.readableBytes)
            self.peer.receive(written.readableBytesView)
        }
    }

    /// Sets whether the transport takes more, as a full socket does.
    func setWritable(_ isWritable: Bool) {
        self.channel.isWritable = isWritable
        self.channel.pipeline.fireChannelWritabilityChanged()
    }
}
