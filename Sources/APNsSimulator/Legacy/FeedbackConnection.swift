// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import NIOTLS

/// One connection to the feedback service: the list of the certificate's app, then the end.
final class FeedbackConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let core: SimulatorCore

    init(core: SimulatorCore) {
        self.core = core
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        if let certificate = LegacyServer.certificate(of: context), let topic = certificate.bundleID,
            certificate.environments.contains(self.core.configuration.environment)
        {
            let entries = self.core.withWorld { $0.feedback.take(topic: topic) }
            if !entries.isEmpty {
                context.writeAndFlush(
                    self.wrapOutboundOut(ByteBuffer(bytes: FeedbackList.bytes(entries))),
                    promise: nil
                )
            }
        }
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension FeedbackConnection: Sendable {}
