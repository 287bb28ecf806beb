// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Breaks a connection after a number of bytes of one direction.
final class CutHandler: ChannelDuplexHandler {
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
        // Behind the current turn, so that no handler is left while it is at work.
        let socket = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let pipeline = socket.value.pipeline.syncOperations
            if let head = try? pipeline.context(handlerType: SocketEnd.self) {
                head.close(promise: nil)
            } else {
                socket.value.close(promise: nil)
            }
        }
    }
}

/// A handler next to the socket that does nothing: closing from there passes TLS by.
final class SocketEnd: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
}

/// Makes the close of a socket a reset.
enum SocketReset {
    static func prepare(_ channel: any Channel) {
        _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension CutHandler: Sendable {}
