// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel

/// The state of the circuit of an app, an environment and a credential.
package struct DeliveryCircuit: Hashable, Sendable {
    package struct Trouble: Hashable, Sendable {
        /// The cause: `unreachable`, `credential` or `overload`.
        package var cause: String

        /// The APNs reason, or the connection error.
        package var reason: String

        package var since: Date

        package init(cause: String, reason: String, since: Date) {
            self.cause = cause
            self.reason = reason
            self.since = since
        }
    }

    package var environment: APNsEnvironment
    package var credential: CredentialID

    /// The state: `half_open`, `closed` or `open`.
    package var state: String

    /// The failure; `nil` if there is none.
    package var trouble: Trouble?

    /// When it is tried again; `nil` unless it is open.
    package var nextProbeAt: Date?

    /// The kinds of batches that go this way.
    package var kinds: Set<RoutingKey>

    package init(
        environment: APNsEnvironment,
        credential: CredentialID,
        state: String,
        trouble: Trouble? = nil,
        nextProbeAt: Date? = nil,
        kinds: Set<RoutingKey>
    ) {
        self.environment = environment
        self.credential = credential
        self.state = state
        self.trouble = trouble
        self.nextProbeAt = nextProbeAt
        self.kinds = kinds
    }
}

/// Returns the state of the delivery in this process.
package protocol DeliveryStatusProvider: Sendable {
    /// Returns the state of an app's circuits that this process has used.
    func circuits(of app: AppID) -> [DeliveryCircuit]
}
