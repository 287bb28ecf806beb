// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL

/// The provider port: HTTP/2 over TLS, with the simulator's own certificate.
///
/// A fault can close it for a while, so that connecting is refused.
actor ProviderServer {
    /// How long connections may take to finish their requests when the simulator stops.
    private static let shutdownGrace: TimeAmount = .seconds(2)
    /// How much is read from a socket at once.
    private static let receiveBufferSize = 64 * 1024
    /// How often it is looked whether the port is to be open, while a fault concerns that.
    private static let reachabilityInterval = TimeAmount.milliseconds(20)

    nonisolated let port: Int
    private let core: SimulatorCore
    private let bootstrap: ServerBootstrap
    private nonisolated let eventLoop: any EventLoop
    private var listener: (any Channel)?
    /// The opening or closing that is under way.
    private var change: EventLoopFuture<Void>?
    private var watch: RepeatedTask?
    private var isShutDown = false

    /// Binds the port and serves from now on.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable` or `tls`.
    init(
        core: SimulatorCore,
        tls: ServerTLS,
        service: ProviderService = .pushes,
        group: any EventLoopGroup
    ) async throws(APNsSimulatorError) {
        let configuration = core.configuration
        let installer = ProviderChannelInitializer(core: core, tls: tls, service: service)
        let (port, option) =
            switch service {
            case .pushes: (configuration.port, "--port")
            case .channelManagement: (configuration.channelPort, "--channel-port")
            }
        self.core = core
        self.eventLoop = group.next()
        self.bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: Self.receiveBufferSize)
            )
            .childChannelInitializer { installer.install(on: $0) }
        do {
            let listener = try await self.bootstrap.bind(host: configuration.host, port: port).get()
            self.listener = listener
            self.port = listener.localAddress?.port ?? 0
        } catch {
            throw .portUnavailable(port, host: configuration.host, option: option, cause: error)
        }
        // Port faults and idle timeouts are handled once, by the server for pushes.
        guard service == .pushes else { return }
        core.connections.beginIdleWatch(core, on: self.eventLoop)
        core.connections.server = self
        await self.followFaults()
    }

    /// Opens or closes the port after a change of the faults, asynchronously.
    nonisolated func noteFaults() {
        // The task ends after one bind or close.
        _ = self.eventLoop.makeFutureWithTask { await self.followFaults() }
    }

    /// Opens or closes the port, as required by the current faults.
    func followFaults() async {
        while let change = self.change { try? await change.get() }
        guard !self.isShutDown else { return }
        let (isReachable, isSettled) = self.core.reachability
        self.watch(!isSettled)
        if !isReachable, let listener = self.listener {
            self.listener = nil
            let closing: EventLoopFuture<Void> = listener.close()
            self.change = closing
            try? await closing.get()
            self.change = nil
        } else if isReachable, self.listener == nil {
            // Where another process has taken the port in the meantime, it is tried again at the next look.
            let binding = self.bootstrap.bind(host: self.core.configuration.host, port: self.port)
            self.change = binding.map { _ in }
            let bound = try? await binding.get()
            self.change = nil
            if self.isShutDown || self.listener != nil { try? await bound?.close() } else { self.listener = bound }
            if self.listener == nil { self.watch(true) }
        }
    }

    private func watch(_ isWanted: Bool) {
        guard isWanted else {
            self.watch?.cancel()
            self.watch = nil
            return
        }
        guard self.watch == nil else { return }
        let (eventLoop, interval) = (self.eventLoop, Self.reachabilityInterval)
        self.watch = eventLoop.scheduleRepeatedAsyncTask(initialDelay: interval, delay: interval) { _ in
            // The repeated task waits for this one, and is cancelled when the server is shut down.
            eventLoop.makeFutureWithTask { await self.followFaults() }
        }
    }

    /// Stops accepting connections, and waits until the open ones have completed their requests.
    func shutDown() async {
        self.isShutDown = true
        if self.core.connections.server === self { self.core.connections.server = nil }
        self.watch(false)
        try? await self.listener?.close()
        await self.core.connections.shutDown(grace: Self.shutdownGrace)
    }
}

/// The HTTP/2 service of a port.
enum ProviderService: Sendable {
    /// Pushes to devices and broadcasts.
    case pushes
    /// The management of broadcast channels.
    case channelManagement
}
