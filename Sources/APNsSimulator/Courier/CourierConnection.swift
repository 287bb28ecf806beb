// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import NIOSSL
import NIOTLS

/// One device's connection to the courier port.
///
/// It reads frames and sends the messages of the world, in their order. While the device does not read, the connection does not read
/// either, so that replies do not pile up.
final class CourierConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let core: SimulatorCore
    /// The number of the connection; set when it is registered.
    var id: UInt64 = 0
    private var frames = CourierFrames()
    /// The device, once its certificate is accepted.
    private var device: DeviceIndex?
    /// Whether input is discarded.
    private var isOver = false
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(core: SimulatorCore) {
        self.core = core
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let timeout = TimeAmount(self.core.configuration.courierHandshakeTimeout)
        let channel = context.channel
        self.deadline = channel.eventLoop.scheduleTask(in: timeout) { ConnectionRegistry.cut(channel) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.deadline?.cancel()
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        self.deadline?.cancel()
        do throws(CourierEnd) {
            guard let certificate = context.peerCertificate.flatMap({ DeviceCertificate(der: $0) }) else {
                throw .unknownDevice
            }
            let id = self.id
            let (device, welcome) = try self.core.change { world, now throws(CourierEnd) in
                try world.connectCourier(certificate, session: id, now: now)
            }
            self.device = device
            self.send(welcome)
        } catch {
            self.send(.closing(error))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isOver else { return }
        var buffer = self.unwrapInboundIn(data)
        self.frames.append(&buffer)
        do throws(CourierEnd) {
            while !self.isOver, let frame = try self.frames.next() { self.take(frame) }
        } catch {
            self.send(.closing(error))
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.isOver = true
        if let device = self.device {
            let id = self.id
            self.core.change { world, now in world.disconnectCourier(device, session: id, now: now) }
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func take(_ frame: [UInt8]) {
        guard let device = self.device else { return }
        let id = self.id
        do throws(CourierProblem) {
            let request = try CourierRequest(frame)
            self.core.change { world, now in world.handle(request, from: device, session: id, now: now) }
        } catch {
            // After the responses to the messages before it.
            self.core.couriers.send(CourierOutput(session: id, reply: .error(error)))
        }
    }

    /// Sends a message now; one that closes the connection is the last.
    func send(_ reply: CourierReply) {
        guard !self.isOver else { return }
        self.context?.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: reply.frame)), promise: nil)
        guard case .closing = reply else { return }
        self.isOver = true
        // TLS says its goodbye and reads on until the device's: a socket that is closed with bytes unread is reset,
        // and a reset would take the message with it.
        self.context?.close(promise: nil)
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension CourierConnection: Sendable {}
