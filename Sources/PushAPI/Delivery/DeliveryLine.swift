// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel

/// How the pushes of an app in one environment with one credential stand.
package struct DeliveryLine: Hashable, Sendable {
    package struct Trouble: Hashable, Sendable {
        /// What it is: `unreachable`, `credential` or `overload`.
        package var cause: String

        /// Apple's word for it, or what the connection came to.
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

    /// How it stands: `unproven`, `answering` or `paused`.
    package var state: String

    /// What is wrong; `nil` while nothing is known to be.
    package var trouble: Trouble?

    /// When it is tried again; `nil` unless it is paused.
    package var nextAttempt: Date?

    /// The kinds of batches that go this way.
    package var kinds: Set<BatchKind>

    package init(
        environment: APNsEnvironment,
        credential: CredentialID,
        state: String,
        trouble: Trouble? = nil,
        nextAttempt: Date? = nil,
        kinds: Set<BatchKind>
    ) {
        self.environment = environment
        self.credential = credential
        self.state = state
        self.trouble = trouble
        self.nextAttempt = nextAttempt
        self.kinds = kinds
    }
}

/// Tells how the delivery in this process stands.
package protocol DeliveryInspector: Sendable {
    /// How an app's pushes stand in each environment and with each credential that this process has tried.
    func lines(of app: AppID) -> [DeliveryLine]
}
