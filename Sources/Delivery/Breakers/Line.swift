// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
import APNsClient
package import Foundation
package import PushModel

/// A circuit, which one circuit breaker protects: the pushes of one app in one environment with one credential.
///
/// Apps that share a key do not share a circuit, because a failure of one app says nothing about the other.
struct Line: Hashable, Sendable {
    let app: AppID
    let environment: APNsEnvironment
    let credential: CredentialID
    let destination: APNsDestination

    /// The circuit as stored for other processes.
    var named: DeliveryPause.Line {
        DeliveryPause.Line(app: self.app, environment: self.environment, credential: self.credential)
    }
}

/// The status of one circuit in this process.
package struct LineStanding: Hashable, Sendable {
    /// The state of the circuit.
    package enum State: String, Hashable, Sendable {
        /// Half-open: the next chunk is a small probe.
        case unproven

        /// Closed: APNs serves pushes.
        case answering

        /// Open: nothing is sent before the next probe.
        case paused
    }

    /// The failure of a circuit.
    package struct Trouble: Hashable, Sendable {
        /// The cause: `unreachable`, `credential` or `overload`.
        package let cause: String

        /// The reason in the response of APNs, or the message of the client.
        package let reason: String

        package let since: Date
    }

    package let environment: APNsEnvironment
    package let credential: CredentialID
    package let state: State

    /// The failure, from the first pause until APNs serves a push again; `nil` if there is none.
    package let trouble: Trouble?

    /// The time of the next probe; `nil` unless the circuit is open.
    package let nextAttempt: Date?

    /// The kinds of batches that use the circuit.
    package let kinds: [BatchKind]
}

extension LineStanding {
    init(_ line: Line, _ breaker: Breaker, kinds: [BatchKind], now: Date) {
        self.environment = line.environment
        self.credential = line.credential
        self.state =
            switch breaker.standing(now: now) {
            case .unproven: .unproven
            case .answering: .answering
            case .paused: .paused
            }
        self.trouble = breaker.trouble.map {
            Trouble(cause: $0.cause.name, reason: $0.cause.reason, since: $0.since)
        }
        self.nextAttempt = breaker.nextAttempt(now: now)
        self.kinds = kinds
    }
}
