// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Logging
import NIOCore
import NIOPosix

/// Runs a simulator with this configuration that logs nothing, for as long as `body` takes.
func withSilentSimulator<Value: Sendable>(
    _ configuration: APNsSimulatorConfiguration = APNsSimulatorConfiguration(),
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    _ body: (APNsSimulator) async throws -> Value
) async throws -> Value {
    let logger = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
    return try await withAPNsSimulator(configuration, eventLoopGroup: eventLoopGroup, logger: logger, body)
}
