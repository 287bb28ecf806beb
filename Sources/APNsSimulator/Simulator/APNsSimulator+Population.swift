// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The population, from Swift.
extension APNsSimulator {
    /// The population, as it is now; `nil` where there is none.
    public var population: PopulationConfiguration? { self.core.withWorld { $0.population?.configuration } }

    /// Connects the population to APNs or cuts it off, but for devices that were told otherwise.
    ///
    /// What waited for them is delivered before the call returns. Requests are served meanwhile.
    public func setPopulationOnline(_ isOnline: Bool) {
        self.core.withWorld { $0.population?.configuration.isOnline = isOnline }
        var row: Int? = 0
        while let first = row { row = self.core.change { world, now in world.followPopulation(from: first, now: now) } }
    }

    /// The device that a token stands for, and the token's topic; `nil` for a token that was never issued.
    public func device(of token: DeviceToken) -> (device: VirtualDevice, topic: String, isActive: Bool)? {
        self.core.withWorld { world in
            guard let index = world.registration(of: TokenKey(bytes: token.bytes)) else { return nil }
            let isActive = world.standing(of: index, now: world.now).inactiveSince == nil
            let topic = world.topics[world.topic(of: index)].name
            // Before the world is looked at: a device of the population gets its row by this.
            let device = world.device(of: index)
            return (world.snapshot(device), topic, isActive)
        }
    }
}
