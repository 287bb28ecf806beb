// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Why nothing is sent for an app in an environment with a credential before the next attempt.
public struct OpenCircuit: Hashable, Sendable {
    /// The circuit; a later entry of the same circuit replaces the former.
    public struct Circuit: Hashable, Sendable {
        public var app: AppID
        public var environment: APNsEnvironment
        public var credential: CredentialID

        public init(app: AppID, environment: APNsEnvironment, credential: CredentialID) {
            self.app = app
            self.environment = environment
            self.credential = credential
        }
    }

    /// How many seconds after its next attempt an open circuit still counts: an attempt without a response takes a
    /// minute.
    ///
    /// An entry that was not updated for longer belongs to a process that no longer runs.
    public static let patience: TimeInterval = 120

    public var line: Circuit

    /// The types of the pushes that go this way.
    public var pushTypes: Set<PushType>

    /// The failure: `unreachable`, `credential` or `overload`.
    public var cause: String

    /// The APNs reason, or the connection error.
    public var reason: String

    public var since: Date

    /// When a small part is sent to find out.
    public var nextProbeAt: Date

    public init(
        line: Circuit,
        pushTypes: Set<PushType>,
        cause: String,
        reason: String,
        since: Date,
        nextProbeAt: Date
    ) {
        self.line = line
        self.pushTypes = pushTypes
        self.cause = cause
        self.reason = reason
        self.since = since
        self.nextProbeAt = nextProbeAt
    }

    /// Whether it counts at a time: the process that stored it still runs, as far as is known.
    public func counts(now: Date) -> Bool { self.nextProbeAt.addingTimeInterval(Self.patience) > now }

    /// Whether batches of a kind wait for its end at a time.
    public func holdsUp(_ kind: RoutingKey, now: Date) -> Bool {
        self.line.app == kind.app && kind.environments.contains(self.line.environment)
            && self.pushTypes.contains(kind.pushType) && self.counts(now: now)
    }
}
