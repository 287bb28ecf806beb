// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel

/// Tells how the delivery in this process stands.
public protocol DeliveryInspector: Sendable {
    /// How an app's pushes stand in each environment and with each credential that this process has tried.
    func lines(of app: AppID) -> [DeliveryLine]
}

/// How the pushes of an app in one environment with one credential stand.
public struct DeliveryLine: Hashable, Sendable {
    public struct Trouble: Hashable, Sendable {
        /// What it is: `unreachable`, `credential` or `overload`.
        public var cause: String

        /// Apple's word for it, or what the connection came to.
        public var reason: String

        public var since: Date

        public init(cause: String, reason: String, since: Date) {
            self.cause = cause
            self.reason = reason
            self.since = since
        }
    }

    public var environment: APNsEnvironment
    public var credential: CredentialID

    /// How it stands: `unproven`, `answering` or `paused`.
    public var state: String

    /// What is wrong; `nil` while nothing is known to be.
    public var trouble: Trouble?

    /// When it is tried again; `nil` unless it is paused.
    public var nextAttempt: Date?

    /// The kinds of batches that go this way.
    public var kinds: Set<BatchKind>

    public init(
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
