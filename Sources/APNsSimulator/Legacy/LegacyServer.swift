// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// The binary gateway and the feedback service, on separate ports, with TLS and client certificates.
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

    /// Stops accepting connections, sends each sender its last accepted notification, and waits until they close.
    func shutDown() async {
        for listener in self.listeners { try? await listener.close() }
        await self.connections.shutDown(grace: Self.shutdownGrace)
    }

    /// The permissions of the client certificate from a connection's handshake.
    static func certificate(of context: ChannelHandlerContext) -> CertificateTrust? {
        context.peerCertificate.map { CertificateTrust(der: $0) }
    }
}

extension ChannelHandlerContext {
    /// The client certificate from the handshake of the connection, in DER.
    var peerCertificate: [UInt8]? {
        let tls = try? self.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
        return tls?.peerCertificate.flatMap { try? $0.toDERBytes() }
    }
}

/// The connections of the legacy ports that are open.
final class LegacyConnections: Sendable {
    private struct Entry {
        var channel: any Channel
        var gateway: NIOLoopBound<GatewayConnection>?
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    /// Registers a connection, on its event loop, until it is closed.
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

/// The rules of the binary gateway.
///
/// Pure: the result depends only on the notification, the certificate, the world and the passed time.
struct LegacyRules: Sendable {
    /// The result for a notification.
    enum Verdict: Equatable {
        /// It is a push to this registration.
        case accepted(RegistrationIndex)
        /// It is accepted and not delivered: the app was removed at this time, in milliseconds since 1970.
        case gone(since: Int64)
        case refused(LegacyStatus)
    }

    /// How many bytes a device token may have.
    private static let maximumToken = 100
    /// How many bytes an app's token has.
    private static let usualToken = 32

    let environment: APNsEnvironment
    let switches: LegacyOptions

    /// Validates a notification; `topic` is that of the certificate, `nil` if it names none.
    ///
    /// - Returns: the registration of its token, or the error status.
    func judge(
        _ notification: BinaryNotification,
        topic: String?,
        world: borrowing SimulatorState,
        now: Double
    ) -> Verdict {
        guard let topic else { return .refused(.missingTopic) }
        guard !notification.token.isEmpty else { return .refused(.missingDeviceToken) }
        guard notification.token.count <= Self.maximumToken else { return .refused(.invalidTokenSize) }
        guard !notification.payload.isEmpty else { return .refused(.missingPayload) }
        let limit = notification.command == 2 ? self.switches.framedPayload : self.switches.simplePayload
        guard notification.payload.count <= limit else { return .refused(.invalidPayloadSize) }
        guard notification.priority == 10 || notification.priority == 5 else { return .refused(.processingError) }
        if self.switches.refusesNonJSON {
            guard notification.payload.withUnsafeBufferPointer({ JSONValidator.isObject($0) }) else {
                return .refused(.processingError)
            }
        }
        guard let index = world.registration(of: TokenKey(bytes: notification.token)) else {
            return .refused(notification.token.count == Self.usualToken ? .invalidToken : .invalidTokenSize)
        }
        let standing = world.standing(of: index, now: now)
        guard standing.environment == self.environment, world.topics[standing.topic].name == topic else {
            return .refused(.invalidToken)
        }
        if let since = standing.inactiveSince { return .gone(since: since) }
        return .accepted(index)
    }
}
