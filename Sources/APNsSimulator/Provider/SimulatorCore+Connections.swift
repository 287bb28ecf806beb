// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// What faults have to do with connections.
extension SimulatorCore {
    /// What is planned for a connection that has just been accepted.
    func connectionPlan() -> ConnectionPlan {
        let now = self.now
        var plan = self.withWorld { world in
            world.faults.sparesConnections ? ConnectionPlan() : world.faults.plan(now: now)
        }
        plan.roundTrip += self.configuration.roundTrip
        return plan
    }

    /// Whether the provider port is to be open now, and whether that stays so by itself.
    var reachability: (isReachable: Bool, isSettled: Bool) {
        let now = self.now
        return self.withWorld { world in
            (world.faults.isReachable(now: now), world.faults.nextReachabilityChange(after: now) == nil)
        }
    }
}
