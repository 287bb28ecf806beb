// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Why nothing is sent for an app in an environment with a credential before the next attempt.
public struct DeliveryPause: Hashable, Sendable {
    /// What a pause is of; a later one of the same line takes the place of the former.
    public struct Line: Hashable, Sendable {
        public var app: AppID
        public var environment: APNsEnvironment
        public var credential: CredentialID

        public init(app: AppID, environment: APNsEnvironment, credential: CredentialID) {
            self.app = app
            self.environment = environment
            self.credential = credential
        }
    }

    /// How long after its next attempt a pause counts on, in seconds: an attempt without an answer takes a minute.
    ///
    /// What nobody has told anything of for longer was left behind by a process that is gone.
    public static let patience: TimeInterval = 120

    public var line: Line

    /// The types of the pushes that go this way.
    public var pushTypes: Set<PushType>

    /// What is wrong: `unreachable`, `credential` or `overload`.
    public var cause: String

    /// Apple's word for it, or what the connection came to.
    public var reason: String

    public var since: Date

    /// When a small part is sent to find out.
    public var nextAttempt: Date

    public init(
        line: Line,
        pushTypes: Set<PushType>,
        cause: String,
        reason: String,
        since: Date,
        nextAttempt: Date
    ) {
        self.line = line
        self.pushTypes = pushTypes
        self.cause = cause
        self.reason = reason
        self.since = since
        self.nextAttempt = nextAttempt
    }

    /// Whether it counts at a time: whoever noted it is still there, as far as anybody knows.
    public func counts(now: Date) -> Bool { self.nextAttempt.addingTimeInterval(Self.patience) > now }

    /// Whether batches of a kind wait for its end at a time.
    public func holdsUp(_ kind: BatchKind, now: Date) -> Bool {
        self.line.app == kind.app && kind.environments.contains(self.line.environment)
            && self.pushTypes.contains(kind.pushType) && self.counts(now: now)
    }
}
