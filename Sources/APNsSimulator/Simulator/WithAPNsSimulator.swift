// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
public import NIOCore
public import NIOPosix
import ServiceLifecycle

/// Runs a simulator for as long as `body` takes.
///
/// It listens when `body` is called, and is gone afterwards.
///
/// - Parameters:
///   - configuration: by default two free ports of 127.0.0.1, sandbox, everything in memory.
///   - eventLoopGroup: where connections live.
///   - logger: told of the start, the end and failures of the control API.
///   - body: what is done with the simulator.
/// - Returns: what `body` returns.
/// - Throws: ``APNsSimulatorError`` if it cannot be started, and what `body` throws.
public func withAPNsSimulator<Value: Sendable>(
    _ configuration: APNsSimulatorConfiguration = APNsSimulatorConfiguration(),
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    logger: Logger = Logger(label: "apus.simulator"),
    _ body: (APNsSimulator) async throws -> Value
) async throws -> Value {
    let simulator = try APNsSimulator(configuration: configuration, eventLoopGroup: eventLoopGroup, logger: logger)
    let services = ServiceGroup(configuration: ServiceGroupConfiguration(services: [simulator], logger: logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await services.run() }
        _ = try await simulator.endpoints()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(simulator))
        } catch {
            result = .failure(error)
        }
        await services.triggerGracefulShutdown()
        try await group.waitForAll()
        return try result.get()
    }
}
