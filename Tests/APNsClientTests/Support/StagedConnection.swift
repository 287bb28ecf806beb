// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization

@testable import APNsClient

/// A connection of a pool without a socket, whose peer, transport and time a test holds in its hands.
final class StagedConnection: Sendable {
    private let channel = NIOAsyncTestingChannel()
    private let peer = Mutex(RawHTTP2Peer(.server))
    private let closing = ClosingHandler()

    private init() {}

    /// Adds a connection to a pool for as long as `body` takes.
    ///
    /// It is ready, unless `streams` is `nil`: then the peer has not sent its SETTINGS.
    static func with<Value: Sendable>(
        id: Int = 0,
        in pool: ConnectionPool,
        streams: UInt32? = 10,
        _ body: (StagedConnection) async throws -> Value
    ) async throws -> Value {
        let staged = StagedConnection()
        try await staged.open(id, in: pool, streams: streams)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(staged))
        } catch {
            result = .failure(error)
        }
        staged.closing.isHeld.store(false, ordering: .relaxed)
        _ = try? await staged.channel.finish(acceptAlreadyClosed: true)
        return try result.get()
    }

    private func open(_ id: Int, in pool: ConnectionPool, streams: UInt32?) async throws {
        let channel = self.channel
        let loop = channel.testingEventLoop
        await loop.advanceTime(to: .now())
        let closing = self.closing
        try await loop.executeInContext {
            let connection = APNsConnection(id: id, pool: pool, eventLoop: loop)
            let configuration = HTTP2ConnectionConfiguration(role: .client, usesTLS: false)
            try channel.pipeline.syncOperations.addHandler(closing)
            try channel.pipeline.syncOperations.addHandler(
                HTTP2Connection(configuration: configuration, delegate: connection)
            )
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        if let streams { try await self.say { $0.sendHello([0x3: streams]) } }
    }

    /// The time of the connection.
    var now: NIODeadline { self.channel.testingEventLoop.now }

    /// Moves the connection's time on.
    func advance(by amount: TimeAmount) async {
        await self.channel.testingEventLoop.advanceTime(by: amount)
    }

    /// Has the peer say something.
    func say(_ body: @Sendable (inout RawHTTP2Peer) -> Void) async throws {
        let bytes = self.peer.withLock { peer in
            body(&peer)
            return peer.takeOutput()
        }
        try await self.channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    /// What the peer has heard by now of one kind of frames.
    func heard(_ kind: HTTP2Frame.Kind) async throws -> [HTTP2Frame] {
        while let written = try await self.channel.readOutbound(as: ByteBuffer.self) { self.hear(written) }
        return self.peer.withLock { $0.frames(kind) }
    }

    /// Waits until the peer has heard so many frames of one kind.
    func hears(_ count: Int, _ kind: HTTP2Frame.Kind) async throws {
        while self.peer.withLock({ $0.frames(kind).count }) < count {
            self.hear(try await self.channel.waitForOutboundWrite(as: ByteBuffer.self))
        }
    }

    private func hear(_ written: ByteBuffer) {
        self.peer.withLock { $0.receive(written.readableBytesView) }
    }

    /// Has the transport take nothing more, as a full socket does, or take everything again.
    func setWritable(_ isWritable: Bool) async throws {
        let channel = self.channel
        try await channel.testingEventLoop.executeInContext {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }
    }

    /// Lets the transport stay open when it is closed from this side, as TLS does while its peer does not take leave.
    func holdClosing() {
        self.closing.isHeld.store(true, ordering: .relaxed)
    }

    /// Keeps a channel from being closed.
    private final class ClosingHandler: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        let isHeld = Atomic(false)

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard !self.isHeld.load(ordering: .relaxed) else { return }
            context.close(mode: mode, promise: promise)
        }
    }
}

extension ConnectionPool {
    /// A pool of a client that does not run.
    static func sample(
        to destination: APNsDestination,
        configuration: APNsClientConfiguration = .quick,
        lane: SendLane = .urgent,
        metrics: any APNsClientMetrics = NoOpMetrics()
    ) throws -> ConnectionPool {
        try ConnectionPool(
            destination: destination,
            lane: lane,
            configuration: configuration,
            group: MultiThreadedEventLoopGroup.singleton,
            logger: .silent,
            metrics: metrics
        )
    }

    /// Sends a batch.
    ///
    /// Answers what became of each target.
    func send(_ batch: SendBatch, deadline: NIODeadline = .now() + .minutes(1)) async -> [SendOutcome] {
        if let failure = await self.admit(batch.tokens.count, deadline: deadline) {
            return Array(repeating: .failed(failure), count: batch.tokens.count)
        }
        return await withCheckedContinuation { continuation in
            self.enqueue(SendOperation(batch, deadline: deadline) { continuation.resume(returning: $0) })
        }
    }
}
