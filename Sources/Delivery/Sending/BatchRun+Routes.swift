// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Logging
import PushModel

extension BatchRun {
    /// Where a batch goes, or what keeps it from going.
    enum Routing {
        /// It goes there.
        case known(BatchRoutes)

        /// That destination is out.
        case blocked(APNsDestination)
    }

    /// Finds the destination of each environment among the targets that are left.
    ///
    /// - Throws: `StoreError` when the store cannot be asked.
    func routes() async throws -> Routing {
        var legs: [BatchRoutes.Leg] = []
        for environment in self.environments {
            legs.append(.init(environment: environment, route: try await self.route(for: environment)))
        }
        let admission = self.context.outages.admit(
            legs.compactMap(\.route.destination),
            patience: self.context.configuration.sendDeadline,
            now: self.context.now()
        )
        switch admission {
        case .admitted(let probes): return .known(BatchRoutes(legs, probes: probes))
        case .refused(let destination): return .blocked(destination)
        }
    }

    private var environments: [APNsEnvironment] {
        let left = self.claimed.batch.targets[self.claimed.cursor...]
        return APNsEnvironment.allCases.filter { environment in left.contains { $0.environment == environment } }
    }

    private func route(for environment: APNsEnvironment) async throws -> BatchRoutes.Route {
        do {
            let destination = try await self.context.resolver.destination(
                for: self.claimed.batch.app,
                in: environment,
                pushType: self.claimed.batch.headers.pushType
            )
            return .destination(destination)
        } catch let failure as DestinationFailure {
            self.log(.error, "Targets fail for want of a credential", failure)
            return .nowhere(failure.code)
        }
    }
}
