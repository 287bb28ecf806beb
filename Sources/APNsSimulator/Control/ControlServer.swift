// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The control port.
struct ControlServer: Sendable {
    let simulator: APNsSimulator
    let eventLoopGroup: any EventLoopGroup
    let logger: Logger
    /// How long a connection without a request, or with one that does not go on, is kept.
    var idleTimeout: Duration { self.simulator.configuration.controlIdleTimeout }

    /// Listens until the service is shut down.
    ///
    /// - Parameter onReady: told of the port once it is bound.
    /// - Throws: ``APNsSimulatorError`` `portUnavailable`.
    func run(onReady: @escaping @Sendable (Int) -> Void) async throws {
        let configuration = self.simulator.configuration
        var logger = self.logger
        logger.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: ControlAPI(simulator: self.simulator).router(),
            server: .http1(configuration: .init(idleTimeout: TimeAmount(self.idleTimeout))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.controlPort)
            ),
            onServerRunning: { channel in onReady(channel.localAddress?.port ?? 0) },
            eventLoopGroupProvider: .shared(self.eventLoopGroup),
            logger: logger
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw APNsSimulatorError.portUnavailable(
                configuration.controlPort,
                host: configuration.host,
                option: "--control-port",
                cause: error
            )
        }
    }
}
