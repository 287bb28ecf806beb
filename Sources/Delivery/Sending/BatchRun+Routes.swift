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
        var routes = BatchRoutes()
        for environment in self.environments {
            switch try await self.route(for: environment) {
            case .nowhere(let code): routes.append(.init(environment: environment, route: .nowhere(code)))
            case .destination(let destination):
                let admission = self.context.outages.admit(
                    destination,
                    patience: self.context.configuration.sendDeadline,
                    now: self.context.now()
                )
                if case .wait = admission { return .blocked(destination) }
                let route = BatchRoutes.Route.destination(destination)
                routes.append(.init(environment: environment, route: route, isProbe: admission == .probe))
            }
        }
        return .known(routes)
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
