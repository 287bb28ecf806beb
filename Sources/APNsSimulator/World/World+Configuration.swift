// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension World {
    /// The world that a simulator begins with.
    init(_ configuration: APNsSimulatorConfiguration) {
        self.init(
            retainedNotifications: configuration.retainedNotifications,
            retainedInAll: configuration.retainedNotificationsInAll,
            retainedBytes: configuration.retainedBytesInAll,
            population: configuration.population,
            switches: configuration.switches,
            seed: configuration.seed ?? .random(in: .min ... .max)
        )
    }
}
