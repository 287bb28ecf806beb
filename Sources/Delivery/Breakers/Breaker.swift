// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Work

/// Whether a line is sent to: a value without a clock.
///
/// It is unproven until APNs serves something on it, and little is sent until then. It opens, which pauses the line, when
/// there is no connection, when APNs refuses the credential, and in a storm of overloads. When the pause is over it is
/// unproven again: a small chunk finds out, and either closes it or opens it for longer.
///
/// The time of day may be set back. Before it began a pause is over, so that no step makes it last for more than twice its
/// delay.
struct Breaker {
    /// By how many seconds the times of two who look at the clock at once may seem to be apart, without a step of the clock.
    private static let unevenness: TimeInterval = 1

    /// Why a line is paused.
    enum Cause: Hashable, Sendable {
        /// There is no connection, in the client's words.
        case unreachable(String)

        /// APNs refuses the credential.
        case credential(Rejection)

        /// APNs answers too much with 5xx, or 429 to too many tokens; the last of these.
        case overload(Rejection)
    }

    /// What is wrong with a line, from its first pause until it serves again.
    struct Trouble: Hashable, Sendable {
        var cause: Cause
        let since: Date
    }

    /// How a line stands.
    enum Standing: Hashable, Sendable {
        /// Nobody knows whether it serves.
        ///
        /// Can transition to: `answering`, `paused`.
        case unproven

        /// It serves.
        ///
        /// Can transition to: `paused`.
        case answering

        /// Nothing is sent before then.
        ///
        /// Can transition to: `unproven` at that time; `answering` when a line that was unreachable answers.
        case paused(until: Date)
    }

    /// What evidence has changed.
    enum Change: Hashable {
        /// Nothing that anybody has to know of.
        case none

        /// A probe has failed: the line is paused for longer.
        case prolonged

        /// The line serves for the first time: more may be sent.
        case proven

        /// The line is paused, and was not before.
        case opened(Trouble, until: Date)

        /// The line serves again after this.
        case closed(Trouble)
    }

    private var isServing = false
    private var pausedSince = Date.distantPast
    private var pausedUntil = Date.distantPast
    private var servingSince = Date.distantPast
    private var pauses = 0
    private var window = AnswerWindow()

    /// What is wrong; `nil` while nothing is known to be.
    private(set) var trouble: Trouble?

    func standing(now: Date) -> Standing {
        if self.isServing { return .answering }
        let isPaused = now < self.pausedUntil && !Self.isSetBack(now, before: self.pausedSince)
        return isPaused ? .paused(until: self.pausedUntil) : .unproven
    }

    /// Whether the clock was set back since it showed a time.
    private static func isSetBack(_ now: Date, before former: Date) -> Bool {
        former.timeIntervalSince(now) > self.unevenness
    }

    /// What is wrong and when that is, or was to be, found out anew; `nil` while nothing is known to be.
    var pause: (trouble: Trouble, nextAttempt: Date)? { self.trouble.map { ($0, self.pausedUntil) } }

    /// When it is tried again; `nil` unless it is paused.
    func nextAttempt(now: Date) -> Date? {
        if case .paused(let until) = self.standing(now: now) { until } else { nil }
    }

    /// Records the responses to a chunk.
    ///
    /// Answers that come while the line is paused were asked for before, and change nothing: neither do those that fail
    /// together prolong the pause, nor does it end before a probe. Only a line that was unreachable is not any more.
    mutating func note(
        _ evidence: Evidence,
        now: Date,
        rule: BreakerRule,
        using generator: inout some RandomNumberGenerator
    ) -> Change {
        if case .paused = self.standing(now: now) {
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

    /// Whether there were enough overloads lately, or too many in a probe after a pause.
    private mutating func isStorm(_ evidence: Evidence, now: Date, rule: BreakerRule) -> Bool {
        if self.trouble != nil { return Double(evidence.complaints) >= rule.stormShare * Double(evidence.answers) }
        let sums = self.window.add(evidence, now: now, length: rule.stormWindow)
        return sums.overloads >= rule.stormCount && Double(sums.overloads) >= rule.stormShare * Double(sums.answers)
    }

    private mutating func pause(
        _ cause: Cause,
        now: Date,
        rule: BreakerRule,
        using generator: inout some RandomNumberGenerator
    ) -> Change {
        if self.isServing, self.isCalm(now: now, rule: rule) { self.pauses = 0 }
        self.pauses += 1
        self.isServing = false
        self.window = AnswerWindow()
        let delay = rule.delay(for: cause, after: self.pauses, using: &generator)
        self.pausedSince = now
        self.pausedUntil = now.addingTimeInterval(delay / .seconds(1))
        let former = self.trouble
        let trouble = Trouble(cause: cause, since: min(former?.since ?? now, now))
        self.trouble = trouble
        return former == nil ? .opened(trouble, until: self.pausedUntil) : .prolonged
    }

    /// Whether the line has served for long.
    ///
    /// Nobody knows when the clock was set back meanwhile: then the pause that follows is a short one.
    private func isCalm(now: Date, rule: BreakerRule) -> Bool {
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

extension Breaker.Cause {
    /// The cause in one word: `unreachable`, `credential` or `overload`.
    var name: String {
        switch self {
        case .unreachable: "unreachable"
        case .credential: "credential"
        case .overload: "overload"
        }
    }

    /// Apple's word for it, or the client's.
    var reason: String {
        switch self {
        case .unreachable(let message): message
        case .credential(let rejection), .overload(let rejection): rejection.reason.rawValue
        }
    }
}

/// When a line is paused, and for how long.
struct BreakerRule: Sendable {
    /// For how long answers count together.
    var stormWindow: Duration = .seconds(10)

    /// How many overloads make a storm, at least; a token that is sent to too often counts once.
    var stormCount = 50

    /// Which share of the answers they have to be, 0...1.
    var stormShare = 0.5

    /// How long a line has to answer before its next pause is a short one again.
    var calm: Duration = .seconds(60)

    /// How long a line is paused that cannot be reached.
    var outage = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(30))

    /// How long a line is paused whose credential APNs refuses.
    var refusal = ExponentialBackoff(minimum: .seconds(10), maximum: .seconds(300))

    /// How long a line is paused that answers with overload.
    var storm = ExponentialBackoff(minimum: .seconds(5), maximum: .seconds(120))

    /// How long to pause after so many pauses in a row.
    func delay(
        for cause: Breaker.Cause,
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

extension BreakerRule {
    /// The rule that a configuration asks for.
    init(_ configuration: DeliveryConfiguration) {
        self.init()
        self.stormWindow = configuration.stormWindow
        self.stormCount = max(1, configuration.stormCount)
        self.stormShare = min(max(0, configuration.stormShare), 1)
        self.outage = configuration.outageBackoff
        self.refusal = configuration.refusalBackoff
        self.storm = configuration.stormBackoff
    }
}
