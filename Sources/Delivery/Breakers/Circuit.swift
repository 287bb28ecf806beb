// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
import APNsClient
package import Foundation
package import PushModel

/// A circuit, which one circuit breaker protects: the pushes of one app in one environment with one credential.
///
/// Apps that share a key do not share a circuit, because a failure of one app says nothing about the other.
struct Circuit: Hashable, Sendable {
    let app: AppID
    let environment: APNsEnvironment
    let credential: CredentialID
    let destination: APNsDestination

    /// The circuit as stored for other processes.
    var named: OpenCircuit.Circuit {
        OpenCircuit.Circuit(app: self.app, environment: self.environment, credential: self.credential)
    }
}

/// The status of one circuit in this process.
package struct CircuitStatus: Sendable {
    package let environment: APNsEnvironment
    package let credential: CredentialID

    /// `half_open` (the next chunk is a small probe), `closed` or `open`.
    package let state: String

    /// The failure, from the first pause until APNs serves a push again; `nil` if there is none.
    ///
    /// The cause is `unreachable`, `credential` or `overload`; the reason is from APNs, or the client's message.
    package let trouble: (cause: String, reason: String, since: Date)?

    /// The time of the next probe; `nil` unless the circuit is open.
    package let nextProbeAt: Date?

    package let kinds: [RoutingKey]

    init(_ line: Circuit, _ breaker: CircuitBreaker, kinds: [RoutingKey], now: Date) {
        self.environment = line.environment
        self.credential = line.credential
        self.state =
            switch breaker.standing(now: now) {
            case .halfOpen: "half_open"
            case .closed: "closed"
            case .open: "open"
            }
        self.trouble = breaker.trouble.map { ($0.cause.name, $0.cause.reason, $0.since) }
        self.nextProbeAt = breaker.nextProbeAt(now: now)
        self.kinds = kinds
    }
}
