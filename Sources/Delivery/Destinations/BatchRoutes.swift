// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// The circuit of the targets of one environment, or the error with which they fail.
enum Route: Sendable {
    case line(Circuit)
    case nowhere(DestinationError)
}

/// The routes of a batch, by environment.
struct BatchRoutes: Sendable {
    struct Leg: Sendable {
        let environment: APNsEnvironment
        let route: Route

        var line: Circuit? { if case .line(let line) = self.route { line } else { nil } }

        var failure: DestinationError? { if case .nowhere(let failure) = self.route { failure } else { nil } }
    }

    let legs: [Leg]

    var lines: Set<Circuit> { Set(self.legs.compactMap(\.line)) }

    /// Finds the routes of a kind of batch; with `isFresh`, the store is read again, without the cache.
    ///
    /// - Throws: `StoreError` if the store fails.
    static func find(_ kind: RoutingKey, by resolver: DestinationResolver, isFresh: Bool = false) async throws -> Self {
        var legs: [Leg] = []
        for environment in APNsEnvironment.allCases where kind.environments.contains(environment) {
            do {
                let line = try await resolver.line(
                    for: kind.app,
                    in: environment,
                    pushType: kind.pushType,
                    isFresh: isFresh
                )
                legs.append(Leg(environment: environment, route: .line(line)))
            } catch let failure as DestinationError {
                legs.append(Leg(environment: environment, route: .nowhere(failure)))
            }
        }
        return BatchRoutes(legs: legs)
    }
}

extension CircuitBreakers {
    /// Whether nothing of a batch can be sent now, because every environment has a circuit and all of them are open.
    func arePaused(_ routes: BatchRoutes, now: Date) -> Bool {
        routes.legs.allSatisfy { leg in leg.line.map { self.standing(of: $0, now: now).isOpen } ?? false }
    }

    /// Whether only a probe can be sent to targets in these environments, because none of their circuits is closed.
    func areHalfOpen(_ routes: BatchRoutes, in environments: Set<APNsEnvironment>, now: Date) -> Bool {
        let standings = routes.legs.filter { environments.contains($0.environment) }.compactMap(\.line)
            .map { self.standing(of: $0, now: now) }
        return standings.contains(.halfOpen) && !standings.contains(.closed)
    }

    /// The environments whose half-open circuits would delay the other targets of a batch.
    ///
    /// A probe of an unreachable circuit can take a minute, and a chunk ends with its last target. So these
    /// environments are left until the other targets are sent: all of them if another circuit is closed, otherwise all
    /// but one. `main` is the environment of most targets of the batch; its circuit is probed first.
    /// - Returns: the environments to leave for later.
    func postponed(
        _ routes: BatchRoutes,
        in environments: Set<APNsEnvironment>,
        main: APNsEnvironment?,
        now: Date
    ) -> Set<APNsEnvironment> {
        guard environments.count > 1, routes.lines.count > 1 else { return [] }
        var (halfOpen, isServed) = (Set<APNsEnvironment>(), false)
        for leg in routes.legs where environments.contains(leg.environment) {
            guard let line = leg.line else { continue }
            switch self.standing(of: line, now: now) {
            case .halfOpen: halfOpen.insert(leg.environment)
            case .closed: isServed = true
            case .open: continue
            }
        }
        if !isServed, let first = main.flatMap({ halfOpen.contains($0) ? $0 : nil }) ?? halfOpen.first {
            halfOpen.remove(first)
        }
        return halfOpen
    }
}
