// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The port that devices connect to, with TLS and a device certificate.
final class CourierServer: Sendable {
    /// How long connections may take to end when the simulator stops.
    private static let shutdownGrace: TimeAmount = .seconds(2)

    private let core: SimulatorCore
    private let listener: any Channel

    var port: Int { self.listener.localAddress?.port ?? 0 }

    /// Binds the port if one is configured, and serves from now on.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable` or `tls`.
    static func start(
        core: SimulatorCore,
        tls: ServerTLS,
        devices: CertificateAuthority,
        group: any EventLoopGroup
    ) async throws(APNsSimulatorError) -> CourierServer? {
        guard let port = core.configuration.courierPort else { return nil }
        let context = try tls.contextRequiringCertificate(of: devices)
        return try await CourierServer(core: core, port: port, context: context, group: group)
    }

    private init(
        core: SimulatorCore,
        port: Int,
        context: NIOSSLContext,
        group: any EventLoopGroup
    ) async throws(APNsSimulatorError) {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = CourierConnection(core: core)
                    guard core.couriers.add(connection, channel: channel, core.configuration.switches.courier) else {
                        // A channel can be closed only after it is registered.
                        return channel.eventLoop.execute { channel.close(promise: nil) }
                    }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(connection)
                }
            }
        self.core = core
        do {
            self.listener = try await bootstrap.bind(host: core.configuration.host, port: port).get()
        } catch {
            throw .portUnavailable(port, host: core.configuration.host, option: "--courier-port", cause: error)
        }
    }

    /// Stops accepting connections, tells the devices, and waits until the connections are closed.
    func shutDown() async {
        try? await self.listener.close()
        await self.core.couriers.shutDown(grace: Self.shutdownGrace)
    }
}

/// The open connections of the courier port.
final class CourierConnections: Sendable {
    private struct Entry {
        var connection: NIOLoopBound<CourierConnection>
        var channel: any Channel
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var total: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Registers a connection, on its event loop, until it is closed.
    ///
    /// - Returns: whether it is within the maximum number of connections.
    func add(_ connection: CourierConnection, channel: any Channel, _ options: CourierOptions) -> Bool {
        let entry = Entry(connection: NIOLoopBound(connection, eventLoop: channel.eventLoop), channel: channel)
        let id: UInt64? = self.state.withLock { state in
            guard state.entries.count < options.maximumConnections else { return nil }
            state.total += 1
            state.entries[state.total] = entry
            return state.total
        }
        guard let id else { return false }
        connection.id = id
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.entries.removeValue(forKey: id) }
        }
        return true
    }

    /// Sends a message of the world to its connection; one that is closed ignores it.
    ///
    /// Messages from one thread, or under one lock, keep their order.
    func send(_ output: CourierOutput) {
        guard let entry = self.state.withLock({ $0.entries[output.session] }) else { return }
        let connection = entry.connection
        entry.channel.eventLoop.execute { connection.value.send(output.reply) }
    }

    /// Ends all connections.
    func endAll(_ end: CourierEnd) {
        for entry in self.state.withLock({ Array($0.entries.values) }) {
            let connection = entry.connection
            entry.channel.eventLoop.execute { connection.value.send(.closing(end)) }
        }
    }

    /// Ends all connections, and cuts those off that are still there after `grace`.
    func shutDown(grace: TimeAmount) async {
        self.endAll(.shutdown)
        let channels = self.state.withLock { $0.entries.values.map(\.channel) }
        let deadlines = channels.map { channel in
            channel.eventLoop.scheduleTask(in: grace) { ConnectionRegistry.cut(channel) }
        }
        for (channel, deadline) in zip(channels, deadlines) {
            try? await channel.closeFuture.get()
            deadline.cancel()
        }
    }
}
