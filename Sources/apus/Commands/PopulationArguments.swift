// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ArgumentParser

/// Devices that exist by computation.
struct PopulationArguments: ParsableArguments {
    @Option(help: "How many device tokens exist by computation, each of a device with one app.")
    var population: Int?

    @Option(help: "The share of the population's tokens that never stood for a device, from 0 to 1. Default: 0.")
    var invalidRate: Double?

    @Option(help: "The share of the population's tokens whose app was removed, from 0 to 1. Default: 0.")
    var unregisteredRate: Double?

    @Option(help: "The topic of the population's tokens. Default: com.example.app.")
    var populationApp: String?

    @Option(help: "What the population's tokens are computed from. Default: 1.")
    var populationSeed: UInt64?

    /// The population that the arguments describe; `nil` without any.
    ///
    /// - Throws: `ValidationError`.
    func configuration(environment: APNsEnvironment) throws -> PopulationConfiguration? {
        guard let count = self.population else {
            let given = [
                ("--invalid-rate", self.invalidRate != nil), ("--unregistered-rate", self.unregisteredRate != nil),
                ("--population-app", self.populationApp != nil), ("--population-seed", self.populationSeed != nil),
            ]
            guard let (name, _) = given.first(where: \.1) else { return nil }
            throw ValidationError("\(name) says what a population is like, and --population is missing.")
        }
        do {
            return try PopulationConfiguration(
                count: count,
                invalidRate: self.invalidRate ?? 0,
                unregisteredRate: self.unregisteredRate ?? 0,
                app: self.populationApp ?? "com.example.app",
                environment: environment,
                seed: self.populationSeed ?? 1
            )
        } catch {
            throw ValidationError(error.message)
        }
    }
}
