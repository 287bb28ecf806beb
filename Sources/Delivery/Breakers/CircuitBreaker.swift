// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import Work

/// A circuit breaker for one circuit (``Circuit``): a pure state machine, to which the caller passes the current time.
///
/// It is half-open until APNs serves a push, and few pushes are sent until then. It opens if there is no connection, if
/// APNs rejects the credential, or if too many responses report overload. After the pause it is half-open again: a small
/// chunk is the probe. Its responses close the breaker, or open it for longer.
///
/// The wall clock can be set back. A pause is over before the time at which it began, so a clock step makes it last at
/// most twice its delay.
struct CircuitBreaker {
    /// The most that two concurrent readings of the clock differ without a clock step, in seconds.
    private static let unevenness: TimeInterval = 1

    enum Cause: Hashable, Sendable {
        /// There is no connection. The value is the message of the client.
        case unreachable(String)

        /// APNs rejects the credential.
        case credential(Rejection)

        /// Too many responses are 5xx, or 429 for different tokens. The value is the last of them.
        case overload(Rejection)
    }

    /// The failure of a circuit, from its first pause until APNs serves a push again.
    struct Trouble: Hashable, Sendable {
        var cause: Cause
        let since: Date
    }

    enum Standing: Hashable, Sendable {
        /// It is unknown whether APNs serves pushes.
        case halfOpen

        /// APNs serves pushes.
        case closed

        /// Nothing is sent before this time.
        case open(until: Date)

        var isOpen: Bool { if case .open = self { true } else { false } }
    }

    /// The transition that the responses to a chunk caused.
    enum Change: Hashable {
        /// No transition, or one that changes nothing for callers.
        case none

        /// A probe failed: the circuit stays open for longer.
        case prolonged

        /// APNs served the first push: more can be sent.
        case proven

        case opened(Trouble, until: Date)

        case closed(Trouble)
    }

    private var isServing = false
    private var pausedSince = Date.distantPast
    private var pausedUntil = Date.distantPast
    private var servingSince = Date.distantPast
    private var pauses = 0
    private var window = SlidingWindowCounter()

    private(set) var trouble: Trouble?

    func standing(now: Date) -> Standing {
        if self.isServing { return .closed }
        let isOpen = now < self.pausedUntil && !Self.isSetBack(now, before: self.pausedSince)
        return isOpen ? .open(until: self.pausedUntil) : .halfOpen
    }

    /// Whether the clock was set back since `former`.
    private static func isSetBack(_ now: Date, before former: Date) -> Bool {
        former.timeIntervalSince(now) > self.unevenness
    }

    /// The current failure and the time of the next probe, which can have passed; `nil` if there is no failure.
    var pause: (trouble: Trouble, nextProbeAt: Date)? { self.trouble.map { ($0, self.pausedUntil) } }

    /// The time of the next probe; `nil` unless the circuit is open.
    func nextProbeAt(now: Date) -> Date? { self.standing(now: now).isOpen ? self.pausedUntil : nil }

    /// Records the responses to a chunk.
    ///
    /// Responses that arrive while the circuit is open belong to earlier requests and change nothing: failures do not
    /// prolong the pause, and successes do not end it before the probe. Only an unreachable circuit closes, because a
    /// response proves that APNs is reachable.
    mutating func note(
        _ evidence: ChunkObservation,
        now: Date,
        rule: CircuitBreakerConfiguration,
        using generator: inout some RandomNumberGenerator
    ) -> Change {
        if case .open = self.standing(now: now) {
            guard case .unreachable = self.trouble?.cause, evidence.isServed else { return .none }
            return self.serve(now: now)
        }
        if let refusal = evidence.refusal {
            return self.pause(.credential(refusal), now: now, rule: rule, using: &generator)
        }
        if !evidence.isAnswered {
            guard let message = evidence.unreachability else { return .none }
            return self.pause(.unreachable(message), now: now, rule: rule, using: &generator)
        }
        let isStorm = self.isStorm(evidence, now: now, rule: rule)
        if isStorm, let overload = evidence.overload {
            return self.pause(.overload(overload), now: now, rule: rule, using: &generator)
        }
        return evidence.isServed && !self.isServing ? self.serve(now: now) : .none
    }

    /// Whether the window has too many overload responses, or the probe after a pause has.
    private mutating func isStorm(_ evidence: ChunkObservation, now: Date, rule: CircuitBreakerConfiguration) -> Bool {
        if self.trouble != nil { return Double(evidence.complaints) >= rule.stormShare * Double(evidence.answers) }
        let sums = self.window.add(evidence, now: now, length: rule.stormWindow)
        return sums.overloads >= rule.stormCount && Double(sums.overloads) >= rule.stormShare * Double(sums.answers)
    }

    private mutating func pause(
        _ cause: Cause,
        now: Date,
        rule: CircuitBreakerConfiguration,
        using generator: inout some RandomNumberGenerator
    ) -> Change {
        if self.isServing, self.isCalm(now: now, rule: rule) { self.pauses = 0 }
        self.pauses += 1
        self.isServing = false
        self.window = SlidingWindowCounter()
        let delay = rule.delay(for: cause, after: self.pauses, using: &generator)
        self.pausedSince = now
        self.pausedUntil = now.addingTimeInterval(delay / .seconds(1))
        let former = self.trouble
        let trouble = Trouble(cause: cause, since: min(former?.since ?? now, now))
        self.trouble = trouble
        return former == nil ? .opened(trouble, until: self.pausedUntil) : .prolonged
    }

    /// Whether the circuit has been closed for long enough that the next pause is a short one.
    ///
    /// If the clock was set back meanwhile, the time is unknown, and the next pause is a short one.
    private func isCalm(now: Date, rule: CircuitBreakerConfiguration) -> Bool {
        now.timeIntervalSince(self.servingSince) >= rule.calm / .seconds(1)
            || Self.isSetBack(now, before: self.servingSince)
    }

    private mutating func serve(now: Date) -> Change {
        let former = self.trouble
        self.isServing = true
        self.servingSince = now
        self.trouble = nil
        return former.map { .closed($0) } ?? .proven
    }
}

extension CircuitBreaker.Cause {
    /// The cause as a metric label and API value: `unreachable`, `credential` or `overload`.
    var name: String {
        switch self {
        case .unreachable: "unreachable"
        case .credential: "credential"
        case .overload: "overload"
        }
    }

    /// The reason in the response of APNs, or the message of the client.
    var reason: String {
        switch self {
        case .unreachable(let message): message
        case .credential(let rejection), .overload(let rejection): rejection.reason.rawValue
        }
    }
}

/// The thresholds and delays of a circuit breaker.
package struct CircuitBreakerConfiguration: Sendable {
    /// The length of the window in which responses are counted.
    package var stormWindow: Duration = .seconds(10)

    /// The minimum number of overload responses within ``stormWindow`` that open the circuit, 1 or more; repeated 429
    /// responses for one token count once.
    package var stormCount = 50

    /// The minimum share of overload responses, within ``stormWindow`` and of a probe, that opens the circuit, 0...1.
    package var stormShare = 0.5

    /// The time that a circuit has to be closed before its next pause is a short one again.
    package var calm: Duration = .seconds(60)

    /// The delay before the next probe while APNs is unreachable, and before a batch is claimed again after a permanent
    /// error of the store.
    package var outage = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(30))

    /// The delay before a credential that APNs rejected is probed again; another credential is used at once.
    package var refusal = ExponentialBackoff(minimum: .seconds(10), maximum: .seconds(300))

    /// The delay before the next probe after overload responses.
    package var storm = ExponentialBackoff(minimum: .seconds(5), maximum: .seconds(120))

    func delay(
        for cause: CircuitBreaker.Cause,
        after pauses: Int,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        switch cause {
        case .unreachable: self.outage.delay(after: pauses, using: &generator)
        case .credential: self.refusal.delay(after: pauses, using: &generator)
        case .overload: self.storm.delay(after: pauses, using: &generator)
        }
    }
}
