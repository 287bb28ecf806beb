// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
public import Logging
public import NIOCore
public import NIOPosix
public import ServiceLifecycle

/// Apple's side of the wire: a provider port that applies APNs's rules, virtual devices that receive what passes,
/// and a control port to drive both from any language.
///
/// Run it as a service, or scoped with ``withAPNsSimulator(_:eventLoopGroup:logger:_:)``.
public final class APNsSimulator: Service {
    /// How it was set up.
    public let configuration: APNsSimulatorConfiguration
    /// The root certificate that clients have to trust, as PEM.
    public let caPEM: String
    /// A provider key that is trusted for every topic in both environments.
    public let demoKey: SimulatorProviderKey

    let core: SimulatorCore
    let credentials: Credentials
    private let eventLoopGroup: any EventLoopGroup
    private let logger: Logger
    private let readiness = Readiness<SimulatorEndpoints>()

    /// A simulator that listens as soon as it is run.
    ///
    /// - Parameters:
    ///   - configuration: addresses, environment and switches.
    ///   - eventLoopGroup: where connections live; a group of one thread keeps it to one core.
    ///   - logger: told of the start, the end and failures of the control API.
    /// - Throws: ``APNsSimulatorError`` `directory` when the configured directory cannot be used.
    public init(
        configuration: APNsSimulatorConfiguration = APNsSimulatorConfiguration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger = Logger(label: "apus.simulator")
    ) throws {
        let now = configuration.clock.now()
        let credentials =
            if let path = configuration.directory {
                try Credentials(directory: SimulatorDirectory(path: path), now: now)
            } else {
                try Credentials(now: now)
            }
        self.configuration = configuration
        self.credentials = credentials
        self.caPEM = try credentials.authority.certificatePEM
        self.demoKey = credentials.demoKey
        self.core = SimulatorCore(configuration: configuration)
        self.eventLoopGroup = eventLoopGroup
        self.logger = logger
        let key = try ProviderKey(credentials.demoKey)
        self.core.withWorld { $0.keys.add(key) }
    }

    /// Listens on both ports until the service is shut down or the task is cancelled.
    ///
    /// Can be called once.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable` or `tls`.
    public func run() async throws {
        do {
            let provider = try await WireServers(
                core: self.core,
                credentials: self.credentials,
                group: self.eventLoopGroup
            )
            self.core.runner.start(self.core, on: self.eventLoopGroup.next())
            defer { self.core.runner.stop() }
            do {
                try await self.runControl(provider)
            } catch {
                await self.stop(provider)
                throw error
            }
            await self.stop(provider)
        } catch {
            self.readiness.settle(.failure(error))
            throw error
        }
        let error = APNsSimulatorError(code: .stopped, message: "the simulator was stopped before it was ready")
        self.readiness.settle(.failure(error))
    }

    private func runControl(_ provider: WireServers) async throws {
        let control = ControlServer(simulator: self, eventLoopGroup: self.eventLoopGroup, logger: self.logger)
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await control.run { port in
                let endpoints = self.endpoints(provider, controlPort: port)
                self.logger.info("\(endpoints.readyLine)")
                self.readiness.settle(.success(endpoints))
            }
        } onCancelOrGracefulShutdown: {
            // Readers of the feed would keep the control port open.
            self.core.finishFeeds()
        }
    }

    private func stop(_ provider: WireServers) async {
        self.core.finishFeeds()
        await provider.shutDown()
    }

    /// Where the simulator is reached, once it listens.
    ///
    /// - Throws: what ``run()`` failed with.
    public func endpoints() async throws -> SimulatorEndpoints {
        try await self.readiness.get()
    }

    /// Where the simulator is reached; `nil` before it listens.
    public var currentEndpoints: SimulatorEndpoints? { self.readiness.value }

    /// The port of the provider API; 0 before it listens.
    public var port: Int { self.currentEndpoints?.port ?? 0 }

    /// The port of the control API; 0 before it listens.
    public var controlPort: Int { self.currentEndpoints?.controlPort ?? 0 }

    /// The port of channel management; 0 before it listens.
    public var channelPort: Int { self.currentEndpoints?.channelPort ?? 0 }

    private func endpoints(_ servers: WireServers, controlPort: Int) -> SimulatorEndpoints {
        let directory = self.configuration.directory.map { SimulatorDirectory(path: $0) }
        return SimulatorEndpoints(
            host: self.configuration.host,
            port: servers.port,
            controlPort: controlPort,
            channelPort: servers.channels.port,
            gatewayPort: servers.legacy?.gatewayPort,
            feedbackPort: servers.legacy?.feedbackPort,
            environment: self.configuration.environment,
            caPath: directory?.path(of: .authority),
            keyPath: directory?.path(of: .demoKey),
            keyID: self.demoKey.keyID,
            teamID: self.demoKey.teamID
        )
    }
}
