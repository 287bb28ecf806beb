// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// Where the targets of one environment go.
enum Route: Sendable {
    /// There they go.
    case line(Line)

    /// They go nowhere, and fail by this.
    case nowhere(DestinationFailure)
}

/// Where the targets of a batch go, by their environment.
struct BatchRoutes: Sendable {
    /// One environment of the batch.
    struct Leg: Sendable {
        let environment: APNsEnvironment
        let route: Route

        /// Where its targets go; `nil` when they go nowhere.
        var line: Line? {
            if case .line(let line) = self.route { line } else { nil }
        }

        /// Why its targets go nowhere; `nil` when they go somewhere.
        var failure: DestinationFailure? {
            if case .nowhere(let failure) = self.route { failure } else { nil }
        }
    }

    /// The environments among the targets, each with its route.
    let legs: [Leg]

    /// Where all of them go.
    var lines: Set<Line> { Set(self.legs.compactMap(\.line)) }

    /// Finds the routes of a kind of batches.
    ///
    /// With `isFresh`, the resolver asks the store again, whatever it found a short while ago.
    /// - Throws: `StoreError` when the store cannot be asked.
    static func find(_ kind: BatchKind, by resolver: DestinationResolver, isFresh: Bool = false) async throws -> Self {
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
            } catch let failure as DestinationFailure {
                legs.append(Leg(environment: environment, route: .nowhere(failure)))
            }
        }
        return BatchRoutes(legs: legs)
    }
}

extension Breakers {
    /// Whether nothing of a batch can be sent now: each of its legs goes somewhere, and all of these are paused.
    func arePaused(_ routes: BatchRoutes, now: Date) -> Bool {
        routes.legs.allSatisfy { leg in
            guard let line = leg.line, case .paused = self.standing(of: line, now: now) else { return false }
            return true
        }
    }

    /// Whether only a probe can be sent to targets in these environments: no line of theirs is known to serve.
    func areUnproven(_ routes: BatchRoutes, in environments: Set<APNsEnvironment>, now: Date) -> Bool {
        let standings = routes.legs.filter { environments.contains($0.environment) }.compactMap(\.line)
            .map { self.standing(of: $0, now: now) }
        return standings.contains(.unproven) && !standings.contains(.answering)
    }

    /// The environments that would hold up others of a batch, since nobody knows whether their lines serve.
    ///
    /// One that does not may say so only after a minute, and a chunk ends with its last target. So these are left until
    /// nothing else of the batch is ahead: all of them while another line serves, otherwise all but one.
    /// `main` is the environment of most targets of the batch; its line is probed first.
    /// - Returns: the environments that are left for later.
    func postponed(
        _ routes: BatchRoutes,
        in environments: Set<APNsEnvironment>,
        main: APNsEnvironment?,
        now: Date
    ) -> Set<APNsEnvironment> {
        guard environments.count > 1, routes.lines.count > 1 else { return [] }
        var (unproven, isServed) = (Set<APNsEnvironment>(), false)
        for leg in routes.legs where environments.contains(leg.environment) {
            guard let line = leg.line else { continue }
            switch self.standing(of: line, now: now) {
            case .unproven: unproven.insert(leg.environment)
            case .answering: isServed = true
            case .paused: continue
            }
        }
        if !isServed, let first = main.flatMap({ unproven.contains($0) ? $0 : nil }) ?? unproven.first {
            unproven.remove(first)
        }
        return unproven
    }
}
