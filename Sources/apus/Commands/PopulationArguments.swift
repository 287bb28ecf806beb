// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ArgumentParser

/// Devices that exist by computation.
struct PopulationArguments: ParsableArguments {
    @Option(help: "How many device tokens exist by computation, each of a device with one app.")
    var population: Int?

    @Option(help: "The share of the population's tokens that never stood for a device, from 0 to 1.")
    var invalidRate: Double = 0

    @Option(help: "The share of the population's tokens whose app was removed, from 0 to 1.")
    var unregisteredRate: Double = 0

    @Option(help: "The topic of the population's tokens.")
    var populationApp = "com.example.app"

    @Option(help: "What the population's tokens are computed from.")
    var populationSeed: UInt64 = 1

    /// The population that the arguments describe; `nil` without any.
    ///
    /// - Throws: `ValidationError`.
    func configuration(environment: APNsEnvironment) throws -> PopulationConfiguration? {
        guard let count = self.population else { return nil }
        do {
            return try PopulationConfiguration(
                count: count,
                invalidRate: self.invalidRate,
                unregisteredRate: self.unregisteredRate,
                app: self.populationApp,
                environment: environment,
                seed: self.populationSeed
            )
        } catch {
            throw ValidationError(error.message)
        }
    }
}
