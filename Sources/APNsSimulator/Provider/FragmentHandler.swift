// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// Writes a server's bytes in small pieces, each of which is a TLS record and a segment of its own.
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
