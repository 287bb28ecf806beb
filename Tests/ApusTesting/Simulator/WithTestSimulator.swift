// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import APNsSimulator
import Logging

/// Runs a silent simulator on free ports of 127.0.0.1 for as long as `body` takes.
///
/// - Parameters:
///   - environment: which of Apple's services it plays.
///   - switches: what it does at undocumented edges.
///   - clock: where it takes the time from.
///   - body: what is done with it; it listens by then.
/// - Returns: what `body` returns.
/// - Throws: ``APNsSimulatorError`` if it cannot be started, and what `body` throws.
public func withTestSimulator<Value: Sendable>(
    environment: APNsEnvironment = .sandbox,
    switches: APNsSimulatorOptions = APNsSimulatorOptions(),
    clock: SimulatorClock = .system,
    _ body: (APNsSimulator) async throws -> Value
) async throws -> Value {
    let configuration = APNsSimulatorConfiguration(environment: environment, switches: switches, clock: clock)
    let logger = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
    return try await withAPNsSimulator(configuration, logger: logger, body)
}
