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

        /// Where they go, if anywhere.
        var destination: APNsDestination? {
            switch self {
            case .destination(let destination): destination
            case .nowhere: nil
            }
        }
    }

    /// One environment of the batch.
    struct Leg: Sendable {
        let environment: APNsEnvironment
        let route: Route
    }

    /// The environments, those first whose destination was out: before it answers, nothing else is sent.
    let legs: [Leg]

    /// The destinations that were out and are tried by this batch.
    let probes: Set<APNsDestination>

    /// The routes of a batch.
    ///
    /// - Parameters:
    ///   - legs: its environments, in any order.
    ///   - probes: the destinations that were out.
    init(_ legs: [Leg], probes: Set<APNsDestination>) {
        let isProbe = { (leg: Leg) in leg.route.destination.map(probes.contains) ?? false }
        self.legs = legs.filter(isProbe) + legs.filter { !isProbe($0) }
        self.probes = probes
    }
}
