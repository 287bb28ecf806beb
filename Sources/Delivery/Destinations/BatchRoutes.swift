// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    /// - Parameters:
    ///   - kind: the kind.
    ///   - resolver: knows the credentials.
    ///   - isFresh: whether the store is asked again, whatever was found a short while ago.
    /// - Returns: the routes.
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

    /// Whether nobody knows of one of the lines whether it serves.
    func areUnproven(_ routes: BatchRoutes, now: Date) -> Bool {
        routes.lines.contains { self.standing(of: $0, now: now) == .unproven }
    }
}
