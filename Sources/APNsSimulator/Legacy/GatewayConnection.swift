// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import NIOSSL
import NIOTLS

/// One sender's connection to the binary gateway.
///
/// The gateway sends nothing unless a notification is invalid. After an invalid notification it sends the error packet,
/// discards all later notifications without a response, and closes the connection.
final class GatewayConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let core: SimulatorCore
    private let rules: LegacyRules
    private var certificate: CertificateTrust?
    private var parser = BinaryNotificationParser()
    private var lastIdentifier: UInt32 = 0
    /// Whether input is discarded.
    private var isOver = false
    private var random = SplitMix64(seed: .random(in: .min ... .max))
    private var context: ChannelHandlerContext?

    init(core: SimulatorCore) {
        self.core = core
        self.rules = LegacyRules(
            environment: core.configuration.environment,
            switches: core.configuration.switches.legacy
        )
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        self.certificate = LegacyServer.certificate(of: context)
        guard self.certificate?.environments.contains(self.rules.environment) == true else {
            // The gateway has no words for a wrong certificate: it hangs up.
            self.isOver = true
            return context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isOver else { return }
        var buffer = self.unwrapInboundIn(data)
        self.parser.append(&buffer)
        while !self.isOver {
            switch self.parser.next() {
            case .needsMore: return
            case .failure(let status, let identifier): self.fail(status, identifier: identifier, hasPacket: true)
            case .notification(let notification): self.take(notification)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func take(_ notification: BinaryNotification) {
        let topic = self.certificate?.bundleID
        switch self.core.handle(notification, topic: topic, rules: self.rules, apnsID: .random(using: &self.random)) {
        case .taken: self.lastIdentifier = notification.identifier
        case .refused(let status):
            // The identifier of a shutdown is that of the last notification that was taken.
            let identifier = status == .shutdown ? self.lastIdentifier : notification.identifier
            self.fail(status, identifier: identifier, hasPacket: notification.hasErrorPackets)
        case .dropped:
            self.isOver = true
            self.context?.close(promise: nil)
        }
    }

    /// Stops the gateway: sends the sender the last accepted notification.
    func shutDown() {
        guard !self.isOver else { return }
        self.fail(.shutdown, identifier: self.lastIdentifier, hasPacket: true)
    }

    private func fail(_ status: LegacyStatus, identifier: UInt32, hasPacket: Bool) {
        self.isOver = true
        guard let context = self.context else { return }
        let delay = status == .shutdown ? 0 : self.rules.switches.errorDelay
        guard delay > 0 else { return self.end(status, identifier: identifier, hasPacket: hasPacket) }
        // Cannot trap: the switch allows 60 seconds at most.
        context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(delay * 1e9))) {
            self.end(status, identifier: identifier, hasPacket: hasPacket)
        }
    }

    private func end(_ status: LegacyStatus, identifier: UInt32, hasPacket: Bool) {
        guard let context = self.context else { return }
        if hasPacket, self.rules.switches.sendsErrorPackets {
            let packet = ByteBuffer(bytes: status.packet(identifier: identifier))
            context.writeAndFlush(self.wrapOutboundOut(packet), promise: nil)
        }
        // TLS says its goodbye and waits for the sender's while it reads on: a socket that is closed with bytes
        // unread is reset, and a reset would take the error packet with it.
        context.close(promise: nil)
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension GatewayConnection: Sendable {}
