// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import APNsClient
public import Foundation
public import PushModel

/// What a breaker guards: the pushes of one app in one environment with one credential.
///
/// Apps never share one, even where they share a key: what APNs holds against one says nothing of another.
struct Line: Hashable, Sendable {
    let app: AppID
    let environment: APNsEnvironment
    let credential: CredentialID
    let destination: APNsDestination

    /// The line as other processes know it.
    var named: DeliveryPause.Line {
        DeliveryPause.Line(app: self.app, environment: self.environment, credential: self.credential)
    }
}

/// How the pushes of one app in one environment with one credential stand, as this process knows it.
public struct LineStanding: Hashable, Sendable {
    /// Whether anything is sent.
    public enum State: String, Hashable, Sendable {
        /// Nobody knows yet whether APNs serves it: a small slice finds out.
        case unproven

        /// APNs serves it.
        case answering

        /// Nothing is sent before the next attempt.
        case paused
    }

    /// What is wrong.
    public struct Trouble: Hashable, Sendable {
        /// What it is, in one word: `unreachable`, `credential` or `overload`.
        public let cause: String

        /// Apple's word for it, or what the connection came to.
        public let reason: String

        public let since: Date
    }

    public let environment: APNsEnvironment
    public let credential: CredentialID
    public let state: State

    /// What is wrong, from the first pause until APNs serves again; `nil` while nothing is known to be.
    public let trouble: Trouble?

    /// When a small slice is sent to find out; `nil` unless it is paused.
    public let nextAttempt: Date?

    /// The kinds of batches that go this way.
    public let kinds: [BatchKind]
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
