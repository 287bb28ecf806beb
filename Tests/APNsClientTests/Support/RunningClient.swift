// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Logging
import NIOPosix
import ServiceLifecycle

/// A client that runs, and the means to shut it down before its time.
struct RunningClient: Sendable {
    let client: APNsClient
    private let services: ServiceGroup

    /// Runs a client for as long as `body` takes, then shuts it down gracefully.
    static func with<Value: Sendable>(
        _ configuration: APNsClientConfiguration = .quick,
        metrics: any APNsClientMetrics = NoOpMetrics(),
        _ body: (RunningClient) async throws -> Value
    ) async throws -> Value {
        let client = APNsClient(
            configuration: configuration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: .silent,
            metrics: metrics
        )
        let services = ServiceGroup(configuration: ServiceGroupConfiguration(services: [client], logger: .silent))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(RunningClient(client: client, services: services)))
            } catch {
                result = .failure(error)
            }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
            return try result.get()
        }
    }

    /// Begins the graceful shutdown and waits for its end.
    func shutDown() async {
        await self.services.triggerGracefulShutdown()
    }
}

extension APNsClientConfiguration {
    /// Pauses that a test can wait for, and patience with a machine that is busy.
    static var quick: APNsClientConfiguration {
        var configuration = APNsClientConfiguration()
        configuration.minimumBackoff = .milliseconds(5)
        configuration.maximumBackoff = .milliseconds(20)
        configuration.connectTimeout = .seconds(300)
        configuration.answerTimeout = .seconds(300)
        configuration.pingTimeout = .seconds(300)
        configuration.drainTimeout = .milliseconds(300)
        return configuration
    }
}

extension Logger {
    /// A logger that keeps nothing.
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
