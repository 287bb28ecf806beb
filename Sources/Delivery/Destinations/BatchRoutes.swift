// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the targets of one environment go.
enum Route: Sendable {
    /// There they go.
    case destination(APNsDestination)

    /// They go nowhere, and fail by this.
    case nowhere(FailureCode)
}

/// Where the targets of a batch go, by their environment.
struct BatchRoutes: Sendable {
    /// One environment of the batch.
    struct Leg: Sendable {
        let environment: APNsEnvironment
        let route: Route
    }

    /// The environments among the targets.
    let legs: [Leg]

    /// Where all of them go.
    var destinations: Set<APNsDestination> {
        Set(
            self.legs.compactMap { leg in
                switch leg.route {
                case .destination(let destination): destination
                case .nowhere: nil
                }
            }
        )
    }
}

extension Reachability {
    /// Whether nothing of a batch can be sent now.
    func isOut(_ routes: BatchRoutes, now: Date) -> Bool {
        let destinations = routes.destinations
        guard destinations.count == routes.legs.count else { return false }
        return destinations.allSatisfy { destination in
            if case .out = self.standing(of: destination, now: now) { true } else { false }
        }
    }

    /// Whether nobody knows of one of the destinations whether it answers.
    func isUnproven(_ routes: BatchRoutes, now: Date) -> Bool {
        routes.destinations.contains { self.standing(of: $0, now: now) == .unproven }
    }
}
