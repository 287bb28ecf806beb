// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import DequeModule
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Delays all output of a server by a fixed time and in order: an injected round trip.
///
/// It is next to the socket, so that the TLS handshake and the first SETTINGS are delayed too. Data flushed together is
/// sent together: one timer serves a burst with any number of responses.
final class LatencyHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bursts whose times are closer than this go out together.
    private static let slack = TimeAmount.microseconds(200)

    private struct Write {
        var data: NIOAny
        var promise: EventLoopPromise<Void>?
    }

    private struct Burst {
        var due: NIODeadline
        var writes: [Write]
    }

    private let delay: TimeAmount
    private var unflushed: [Write] = []
    private var bursts: Deque<Burst> = []
    private var timer: Scheduled<Void>?
    /// The delayed close of the connection, after all earlier output.
    private var closing: (due: NIODeadline, mode: CloseMode, promise: EventLoopPromise<Void>?)?
    private var context: ChannelHandlerContext?

    init(delay: TimeAmount) {
        self.delay = delay
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.forget()
        self.context = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.unflushed.append(Write(data: data, promise: promise))
    }

    func flush(context: ChannelHandlerContext) {
        guard !self.unflushed.isEmpty else { return }
        self.bursts.append(Burst(due: context.eventLoop.now + self.delay, writes: self.unflushed))
        self.unflushed = []
        self.schedule(context)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        self.flush(context: context)
        guard mode != .input, !self.bursts.isEmpty, self.closing == nil else {
            return context.close(mode: mode, promise: promise)
        }
        self.closing = (context.eventLoop.now + self.delay, mode, promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.forget()
        context.fireChannelInactive()
    }

    private func schedule(_ context: ChannelHandlerContext) {
        guard self.timer == nil, let due = self.bursts.first?.due ?? self.closing?.due else { return }
        self.timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.timer = nil
            self.release()
        }
    }

    private func release() {
        guard let context = self.context else { return }
        let limit = context.eventLoop.now + Self.slack
        var hasWritten = false
        while let burst = self.bursts.first, burst.due <= limit {
            self.bursts.removeFirst()
            hasWritten = true
            for write in burst.writes { context.write(write.data, promise: write.promise) }
        }
        if hasWritten { context.flush() }
        if self.bursts.isEmpty, let closing = self.closing, closing.due <= limit {
            self.closing = nil
            return context.close(mode: closing.mode, promise: closing.promise)
        }
        self.schedule(context)
    }

    private func forget() {
        self.timer?.cancel()
        self.timer = nil
        let writes = self.bursts.flatMap(\.writes) + self.unflushed
        self.bursts.removeAll()
        self.unflushed.removeAll()
        for write in writes { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        let closing = self.closing
        self.closing = nil
        closing?.promise?.succeed()
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension LatencyHandler: Sendable {}

/// Breaks a connection after a number of bytes of one direction.
final class ConnectionCutHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let cut: ConnectionCut
    private var left: Int
    private var isCut = false

    init(_ cut: ConnectionCut) {
        self.cut = cut
        self.left = cut.bytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.cut.direction == .input else { return context.fireChannelRead(data) }
        guard !self.isCut else { return }
        var buffer = self.unwrapInboundIn(data)
        guard buffer.readableBytes > self.left else {
            self.left -= buffer.readableBytes
            return context.fireChannelRead(data)
        }
        self.isCut = true
        if self.left > 0, let slice = buffer.readSlice(length: self.left) {
            context.fireChannelRead(self.wrapInboundOut(slice))
            context.fireChannelReadComplete()
        }
        Self.end(context, resets: self.cut.resets)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard self.cut.direction == .output else { return context.write(data, promise: promise) }
        guard !self.isCut else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        var buffer = self.unwrapOutboundIn(data)
        guard buffer.readableBytes > self.left else {
            self.left -= buffer.readableBytes
            return context.write(data, promise: promise)
        }
        self.isCut = true
        let written = context.eventLoop.makePromise(of: Void.self)
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let resets = self.cut.resets
        written.futureResult.whenComplete { _ in Self.end(loopBound.value, resets: resets) }
        let slice = buffer.readSlice(length: self.left) ?? ByteBuffer()
        context.writeAndFlush(self.wrapOutboundOut(slice), promise: written)
        promise?.fail(ChannelError.ioOnClosedChannel)
    }

    /// Ends the connection at once: below TLS, which says nothing more.
    private static func end(_ context: ChannelHandlerContext, resets: Bool) {
        if resets { SocketReset.prepare(context.channel) }
        // On the next turn of the event loop, so that no handler is removed while it runs.
        let socket = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let pipeline = socket.value.pipeline.syncOperations
            if let head = try? pipeline.context(handlerType: SocketCloseHandler.self) {
                head.close(promise: nil)
            } else {
                socket.value.close(promise: nil)
            }
        }
    }
}

/// A handler next to the socket that does nothing: closing from there passes TLS by.
final class SocketCloseHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
}

/// Closes the socket with a TCP reset.
enum SocketReset {
    static func prepare(_ channel: any Channel) {
        _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension ConnectionCutHandler: Sendable {}

/// Replaces the server's first bytes, and closes the connection after them.
final class FirstFrameOverrideHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: [UInt8]
    private var hasSpoken = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.ioOnClosedChannel)
        guard !self.hasSpoken else { return }
        self.hasSpoken = true
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in loopBound.value.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: self.bytes)), promise: written)
    }
}

/// Writes a server's bytes in small pieces, each in its own TLS record and segment.
final class FragmentHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let size: Int

    init(size: Int) {
        self.size = size
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var buffer = self.unwrapOutboundIn(data)
        while buffer.readableBytes > self.size, let piece = buffer.readSlice(length: self.size) {
            context.writeAndFlush(self.wrapOutboundOut(piece), promise: nil)
        }
        context.write(self.wrapOutboundOut(buffer), promise: promise)
    }
}

/// Adds TLS, HTTP/2 and injected faults to an accepted socket.
struct ProviderChannelInitializer: Sendable {
    let core: SimulatorCore
    let tls: ServerTLS
    let service: ProviderService

    /// Sets up a connection.
    ///
    /// The future comes when it may begin to read.
    func install(on channel: any Channel) -> EventLoopFuture<Void> {
        let plan = self.core.connectionPlan()
        if plan.isRefused {
            SocketReset.prepare(channel)
            return channel.close()
        }
        guard plan.acceptDelay > .zero else {
            return channel.eventLoop.makeCompletedFuture { try self.install(plan, on: channel) }
        }
        return channel.eventLoop.scheduleTask(in: TimeAmount(plan.acceptDelay)) {
            try self.install(plan, on: channel)
        }.futureResult
    }

    private func install(_ plan: ConnectionFaultPlan, on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        var cuts = plan.cuts
        if plan.tls == .cutHandshake { cuts.append(ConnectionCut(after: 0, of: .input, layer: .socket)) }
        if !cuts.isEmpty { try pipeline.addHandler(SocketCloseHandler()) }
        if plan.roundTrip > .zero { try pipeline.addHandler(LatencyHandler(delay: TimeAmount(plan.roundTrip))) }
        for cut in cuts where cut.layer == .socket { try pipeline.addHandler(ConnectionCutHandler(cut)) }
        try pipeline.addHandler(NIOSSLServerHandler(context: self.tls.context(plan.tls)))
        for cut in cuts where cut.layer == .http2 { try pipeline.addHandler(ConnectionCutHandler(cut)) }
        if let size = plan.fragmentSize { try pipeline.addHandler(FragmentHandler(size: size)) }
        if let goAway = plan.goAwayFirst { try pipeline.addHandler(FirstFrameOverrideHandler(goAway.frame)) }
        let connection = ProviderConnection(core: self.core, service: self.service, settings: self.settings(plan))
        // Do not serve the streams that the GOAWAY refuses: the client may retry them.
        if let goAway = plan.goAwayFirst { connection.lastStreamID = goAway.lastStreamID }
        self.core.connections.add(connection, channel: channel)
        try pipeline.addHandler(
            HTTP2Connection(configuration: self.configuration(plan), delegate: connection)
        )
    }

    private func settings(_ plan: ConnectionFaultPlan) -> HTTP2Settings {
        let configuration = self.core.configuration
        var settings = HTTP2Settings(maximumConcurrentStreams: configuration.initialConcurrentStreams)
        if let streams = plan.settings?.maximumConcurrentStreams { settings.maximumConcurrentStreams = streams }
        if let size = plan.settings?.initialWindowSize { settings.initialWindowSize = size }
        return settings
    }

    private func configuration(_ plan: ConnectionFaultPlan) -> HTTP2ConnectionConfiguration {
        let excess: HTTP2StreamLimitPolicy =
            switch self.core.configuration.switches.connections.streamExcess {
            case .refuse: .refuse
            case .goAway: .goAway(.refusedStream, "Maximum active streams violated for this endpoint")
            case .serve: .serve
            }
        return HTTP2ConnectionConfiguration(
            role: .server,
            settings: self.settings(plan),
            limits: HTTP2Limits(streamExcess: excess),
            // Clients of a simulator are tests, also on busy machines.
            handshakeTimeout: .seconds(60)
        )
    }
}
