// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The binary gateway and the feedback service, each on a port of its own, on TLS with certificate trust.
final class LegacyServer: Sendable {
    /// How long connections may take to end when the simulator stops.
    private static let shutdownGrace: TimeAmount = .seconds(2)

    private let listeners: [any Channel]
    private let connections: LegacyConnections
    /// The port of the gateway; `nil` where there is none.
    let gatewayPort: Int?
    /// The port of the feedback service; `nil` where there is none.
    let feedbackPort: Int?

    /// Binds the ports that are configured, and serves from now on.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable` or `tls`.
    static func start(
        core: SimulatorCore,
        tls: ServerTLS,
        group: any EventLoopGroup
    ) async throws(APNsSimulatorError) -> LegacyServer? {
        let configuration = core.configuration
        guard configuration.gatewayPort != nil || configuration.feedbackPort != nil else { return nil }
        return try await LegacyServer(core: core, context: tls.contextRequiringCertificate(), group: group)
    }

    private init(
        core: SimulatorCore,
        context: NIOSSLContext,
        group: any EventLoopGroup
    ) async throws(APNsSimulatorError) {
        let (gatewayPort, feedbackPort) = (core.configuration.gatewayPort, core.configuration.feedbackPort)
        let connections = LegacyConnections()
        var listeners: [any Channel] = []
        var ports: [Int?] = []
        for (port, isGateway) in [(gatewayPort, true), (feedbackPort, false)] {
            guard let port else {
                ports.append(nil)
                continue
            }
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(NIOSSLServerHandler(context: context))
                        let gateway = isGateway ? GatewayConnection(core: core) : nil
                        if let gateway {
                            try pipeline.addHandler(gateway)
                        } else {
                            try pipeline.addHandler(FeedbackConnection(core: core))
                        }
                        connections.add(channel, gateway: gateway)
                    }
                }
            do {
                let listener = try await bootstrap.bind(host: core.configuration.host, port: port).get()
                listeners.append(listener)
                ports.append(listener.localAddress?.port ?? 0)
            } catch {
                for listener in listeners { try? await listener.close() }
                let option = isGateway ? "--gateway-port" : "--feedback-port"
                throw .portUnavailable(port, host: core.configuration.host, option: option, cause: error)
            }
        }
        self.listeners = listeners
        self.connections = connections
        self.gatewayPort = ports[0]
        self.feedbackPort = ports[1]
    }

    /// Takes no more connections, tells senders the last notification that was taken, and waits for their end.
    func shutDown() async {
        for listener in self.listeners { try? await listener.close() }
        await self.connections.shutDown(grace: Self.shutdownGrace)
    }

    /// What the certificate of a connection's handshake allows.
    static func certificate(of context: ChannelHandlerContext) -> CertificateTrust? {
        let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
        guard let certificate = tls?.peerCertificate, let der = try? certificate.toDERBytes() else { return nil }
        return CertificateTrust(der: der)
    }
}

/// The connections of the legacy ports that are open.
final class LegacyConnections: Sendable {
    private struct Entry {
        var channel: any Channel
        var gateway: NIOLoopBound<GatewayConnection>?
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    /// Takes note of a connection, on its event loop, until it is closed.
    func add(_ channel: any Channel, gateway: GatewayConnection?) {
        let key = ObjectIdentifier(channel)
        let bound = gateway.map { NIOLoopBound($0, eventLoop: channel.eventLoop) }
        self.entries.withLock { $0[key] = Entry(channel: channel, gateway: bound) }
        channel.closeFuture.whenComplete { _ in
            self.entries.withLock { _ = $0.removeValue(forKey: key) }
        }
    }

    /// Ends all connections, and cuts those off that are still there after `grace`.
    func shutDown(grace: TimeAmount) async {
        let entries = self.entries.withLock { Array($0.values) }
        let deadlines = entries.map { entry in
            let (channel, gateway) = (entry.channel, entry.gateway)
            channel.eventLoop.execute {
                if let gateway { gateway.value.shutDown() } else { channel.close(promise: nil) }
            }
            return channel.eventLoop.scheduleTask(in: grace) {
                channel.close(promise: nil)
            }
        }
        for (entry, deadline) in zip(entries, deadlines) {
            try? await entry.channel.closeFuture.get()
            deadline.cancel()
        }
    }
}
