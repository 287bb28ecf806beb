// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SimulatorCore {
    /// Takes a broadcast or a channel management request through faults, rules and delivery.
    func handleChannels(
        _ request: RequestHead,
        _ service: ProviderService,
        trust: inout ConnectionTrust,
        now: Double
    ) -> World.Handling {
        self.withWorld(at: now) { world in
            world.handleChannels(
                request,
                service,
                trust: &trust,
                rules: ChannelRules(provider: self.rules),
                now: min(now, world.now)
            )
        }
    }
}
