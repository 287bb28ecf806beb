// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// Says something else in the place of the server's first bytes, and closes the connection behind it.
final class FirstWordHandler: ChannelOutboundHandler {
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
