// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation

/// A server and a simulator that share a population of devices, for one round of a measurement.
struct BenchStage: Sendable {
    let stage: ServerStage
    let population: BenchPopulation

    var app: String { self.population.configuration.app }
    var server: Int32 { self.stage.serverProcess.processID }

    /// Starts both on a copy of a prepared store, hands them to `body`, and stops them.
    ///
    /// - Parameters:
    ///   - prepared: the store, which stays as it is.
    ///   - simulatorArguments: what the simulator is told beside the population.
    ///   - body: what is measured.
    ///   - check: looks at the store when the server has stopped.
    /// - Returns: what `body` returns.
    /// - Throws: ``CommandFailure`` when one of both does not start or stop, and what the closures throw.
    static func with<Value: Sendable>(
        _ prepared: PreparedStore,
        simulatorArguments: [String] = [],
        _ body: (BenchStage) async throws -> Value,
        check: (BenchStore) async throws -> Void = { _ in }
    ) async throws -> Value {
        try await BenchDirectory.with { directory in
            try await prepared.template.withCopy(at: "\(directory)/server") { store in
                let stage = try await ServerStage.open(
                    in: directory,
                    executable: OwnExecutable.path,
                    storeURL: store.url,
                    simulatorArguments: prepared.population.simulatorArguments + simulatorArguments
                )
                let value: Value
                do {
                    try await stage.addCredential(to: prepared.population.configuration.app)
                    value = try await body(BenchStage(stage: stage, population: prepared.population))
                } catch {
                    try? await stage.close()
                    throw error
                }
                try await stage.close()
                try await check(store)
                return value
            }
        }
    }
}
