// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
import APNsClient
package import Foundation
package import PushModel

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
package struct LineStanding: Hashable, Sendable {
    /// Whether anything is sent.
    package enum State: String, Hashable, Sendable {
        /// It is not known whether APNs serves it: the next chunk is a small probe.
        case unproven

        /// APNs serves it.
        case answering

        /// Nothing is sent before the next attempt.
        case paused
    }

    /// What is wrong.
    package struct Trouble: Hashable, Sendable {
        /// What it is, in one word: `unreachable`, `credential` or `overload`.
        package let cause: String

        /// Apple's word for it, or what the connection came to.
        package let reason: String

        package let since: Date
    }

    package let environment: APNsEnvironment
    package let credential: CredentialID
    package let state: State

    /// What is wrong, from the first pause until APNs serves again; `nil` while nothing is known to be.
    package let trouble: Trouble?

    /// When a small chunk is sent to find out; `nil` unless it is paused.
    package let nextAttempt: Date?

    /// The kinds of batches that go this way.
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
