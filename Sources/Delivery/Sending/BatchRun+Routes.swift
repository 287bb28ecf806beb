// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Logging
import PushModel

extension BatchRun {
    /// Finds the destination of each environment among the targets.
    ///
    /// - Throws: `StoreError` when the store cannot be asked.
    func routes() async throws -> BatchRoutes {
        var legs: [BatchRoutes.Leg] = []
        for environment in APNsEnvironment.allCases where self.claimed.batch.kind.environments.contains(environment) {
            legs.append(.init(environment: environment, route: try await self.route(for: environment)))
        }
        return BatchRoutes(legs: legs)
    }

    private func route(for environment: APNsEnvironment) async throws -> Route {
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
