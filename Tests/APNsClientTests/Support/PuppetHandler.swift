// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import NIOCore

/// Puts a puppet on a socket.
final class PuppetHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    var number = 0
    private lazy var puppet = Puppet(number: self.number)
    private let script: PuppetServer.Script
    private var context: ChannelHandlerContext?

    init(script: @escaping PuppetServer.Script) {
        self.script = script
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        self.script(&self.puppet, .connected)
        self.write()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for event in self.puppet.receive(self.unwrapInboundIn(data).readableBytesView) {
            self.script(&self.puppet, event)
        }
        self.write()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Does something with the puppet outside of its script.
    func act(_ body: (inout Puppet) -> Void) {
        body(&self.puppet)
        self.write()
    }

    private func write() {
        guard let context = self.context else { return }
        let output = self.puppet.peer.takeOutput()
        if !output.isEmpty { context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: output)), promise: nil) }
        if self.puppet.isClosing { context.close(promise: nil) }
    }
}
