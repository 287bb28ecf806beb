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

/// Where the targets of a batch go, by their environment.
struct BatchRoutes: Sendable {
    /// Where the targets of one environment go.
    enum Route: Sendable {
        /// There they go.
        case destination(APNsDestination)

        /// They go nowhere, and fail by this.
        case nowhere(FailureCode)
    }

    /// One environment of the batch.
    struct Leg: Sendable {
        let environment: APNsEnvironment
        let route: Route

        /// Whether it is the first to try a destination that was out.
        var isProbe = false
    }

    /// The environments, those first whose destination was out: before it answers, nothing else is sent.
    private(set) var legs: [Leg] = []

    /// Whether a destination that was out is tried.
    var isProbing: Bool { self.legs.contains(where: \.isProbe) }

    /// Adds an environment.
    mutating func append(_ leg: Leg) {
        if leg.isProbe { self.legs.insert(leg, at: 0) } else { self.legs.append(leg) }
    }

    /// Whether a destination is tried after it was out.
    func isProbe(_ destination: APNsDestination) -> Bool {
        self.legs.contains { leg in
            if case .destination(destination) = leg.route { leg.isProbe } else { false }
        }
    }
}
