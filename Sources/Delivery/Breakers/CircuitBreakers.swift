// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import Logging
import PushModel
import Synchronization

/// The circuit breakers of this process behind a lock; see ``CircuitBreakerTable``.
///
/// Logs, counts and publishes their transitions.
final class CircuitBreakers: Sendable {
    private let rule: CircuitBreakerConfiguration
    private let logger: Logger
    private let metrics: DeliveryMetrics
    private let table = Mutex(CircuitBreakerTable())
    private let probed = Mutex<Set<Circuit>>([])

    private let notes: OpenCircuitPublisher

    init(rule: CircuitBreakerConfiguration, notes: OpenCircuitPublisher, logger: Logger, metrics: DeliveryMetrics) {
        self.rule = rule
        self.notes = notes
        self.logger = logger
        self.metrics = metrics
    }

    func standing(of line: Circuit, now: Date) -> CircuitBreaker.Standing {
        self.table.withLock { $0.standing(of: line, now: now) }
    }

    /// The state of a kind of batch; `nil` if none was sent before.
    func standing(of kind: RoutingKey, now: Date) -> CircuitBreaker.Standing? {
        self.table.withLock { $0.standing(of: kind, now: now) }
    }

    func standings(now: Date) -> [RoutingKey: CircuitBreaker.Standing] {
        self.table.withLock { $0.standings(now: now) }
    }

    func isAnswering(_ kind: RoutingKey, along line: Circuit, now: Date) -> Bool {
        self.table.withLock { $0.isAnswering(kind, along: line, now: now) }
    }

    var refusedLines: [RoutingKey: Set<Circuit>] { self.table.withLock(\.refusedLines) }

    func lines(of app: AppID) -> [(line: Circuit, breaker: CircuitBreaker, kinds: [RoutingKey])] {
        self.table.withLock { $0.lines(of: app) }
    }

    /// Begins a probe of a circuit, which ``endProbe(of:)`` ends; returns `false` if another batch probes it.
    func beginProbe(of line: Circuit) -> Bool { self.probed.withLock { $0.insert(line).inserted } }

    func endProbe(of line: Circuit) { _ = self.probed.withLock { $0.remove(line) } }

    /// Returns the open circuit as other processes see it; `nil` if it has no failure.
    func pause(of line: Circuit) -> OpenCircuit? { self.table.withLock { $0.pause(of: line) } }

    /// Updates the circuits that a kind of batch uses; returns whether it used others before, so more can be sent now.
    @discardableResult
    func learn(_ kind: RoutingKey, _ lines: Set<Circuit>) -> Bool {
        let lesson = self.table.withLock { $0.learn(kind, lines) }
        for (line, trouble) in lesson.abandoned {
            self.metrics.closed(line)
            self.notes.note(line)
            let isReplaced = lines.contains { $0.environment == line.environment }
            let news =
                isReplaced
                ? "Circuit removed; sending resumed with another credential"
                : "Credential removed; failing queued targets"
            self.log(.notice, news, line, trouble)
        }
        return lesson.isNews
    }

    /// Records the responses to a chunk; returns whether more can be sent than before.
    ///
    /// Logs once when the circuit opens, and once when it closes.
    func note(_ evidence: ChunkObservation, of line: Circuit, now: Date) -> Bool {
        let change = self.table.withLock { table in
            var generator = SystemRandomNumberGenerator()
            return table.note(evidence, of: line, now: now, rule: self.rule, using: &generator)
        }
        if change != .none { self.notes.note(line) }
        switch change {
        case .none, .prolonged: return false
        case .proven: return true
        case .opened(let trouble, let until):
            self.metrics.opened(line, trouble.cause)
            let news =
                switch trouble.cause {
                case .unreachable: "Circuit opened: APNs is unreachable; keeping unsent targets queued"
                case .credential: "Circuit opened: APNs rejects the credential; add a valid one"
                case .overload: "Circuit opened: APNs is overloaded; pausing"
                }
            self.log(.warning, news, line, trouble, until: until)
            return false
        case .closed(let trouble):
            self.metrics.closed(line)
            self.log(.notice, "Circuit closed; sending resumed", line, trouble)
            return true
        }
    }

    private func log(
        _ level: Logger.Level,
        _ message: String,
        _ line: Circuit,
        _ trouble: CircuitBreaker.Trouble,
        until: Date? = nil
    ) {
        var metadata: Logger.Metadata = [
            "app": "\(line.app)", "credential": "\(line.credential)",
            "apns.environment": "\(line.environment.rawValue)",
            "apns.host": "\(line.destination.endpoint.host)", "cause": "\(trouble.cause.name)",
            "apns.reason": "\(trouble.cause.reason)",
        ]
        if let until { metadata["until"] = "\(until.formatted(.iso8601))" }
        self.logger.log(level: level, "\(message)", metadata: metadata)
    }
}

/// The circuit breakers of all circuits, and the state of each kind of batch: a pure state machine.
struct CircuitBreakerTable {
    private var breakers: [Circuit: CircuitBreaker] = [:]
    private var kinds: [RoutingKey: Set<Circuit>] = [:]

    struct Lesson {
        /// Whether the batches used other circuits before.
        var isNews = false

        /// The circuits with a failure that no routing key uses now.
        var abandoned: [(line: Circuit, trouble: CircuitBreaker.Trouble)] = []
    }

    func standing(of line: Circuit, now: Date) -> CircuitBreaker.Standing {
        self.breakers[line]?.standing(now: now) ?? .halfOpen
    }

    /// The state of each kind of batch that was sent before.
    ///
    /// A kind answers if one of its circuits does, and is paused if all are. The targets of a kind without a circuit
    /// fail at once, so it counts as closed.
    func standings(now: Date) -> [RoutingKey: CircuitBreaker.Standing] {
        self.kinds.mapValues { self.standing(of: $0, now: now) }
    }

    func standing(of kind: RoutingKey, now: Date) -> CircuitBreaker.Standing? {
        self.kinds[kind].map { self.standing(of: $0, now: now) }
    }

    private func standing(of lines: Set<Circuit>, now: Date) -> CircuitBreaker.Standing {
        if lines.isEmpty { return .closed }
        var end = Date.distantFuture
        var isHalfOpen = false
        for line in lines {
            switch self.standing(of: line, now: now) {
            case .closed: return .closed
            case .halfOpen: isHalfOpen = true
            case .open(let until): end = min(end, until)
            }
        }
        return isHalfOpen ? .halfOpen : .open(until: end)
    }

    /// Whether a kind of batch uses this circuit alone, and it is closed.
    func isAnswering(_ kind: RoutingKey, along line: Circuit, now: Date) -> Bool {
        self.kinds[kind] == [line] && self.standing(of: line, now: now) == .closed
    }

    /// Updates the circuits of a routing key, and removes those that no routing key uses now.
    mutating func learn(_ kind: RoutingKey, _ lines: Set<Circuit>) -> Lesson {
        guard let former = self.kinds.updateValue(lines, forKey: kind), former != lines else { return Lesson() }
        let used = self.kinds.values.reduce(into: Set<Circuit>()) { $0.formUnion($1) }
        var lesson = Lesson(isNews: true)
        for gone in former.subtracting(used) {
            guard let breaker = self.breakers.removeValue(forKey: gone), let trouble = breaker.trouble else { continue }
            lesson.abandoned.append((gone, trouble))
        }
        return lesson
    }

    /// Records the responses to a chunk, as ``CircuitBreaker/note(_:now:rule:using:)`` does.
    ///
    /// Late responses on a circuit that no routing key uses still affect the batches in flight on it. They are not
    /// reported, because the end of the failure would never be reported.
    mutating func note(
        _ evidence: ChunkObservation,
        of line: Circuit,
        now: Date,
        rule: CircuitBreakerConfiguration,
        using generator: inout some RandomNumberGenerator
    ) -> CircuitBreaker.Change {
        let change = self.breakers[line, default: CircuitBreaker()].note(
            evidence,
            now: now,
            rule: rule,
            using: &generator
        )
        let isUsed = change == .none || self.kinds.values.contains { $0.contains(line) }
        return isUsed ? change : .none
    }

    /// The failure of a circuit and the push types that wait for it; `nil` if it has none, or no kind uses it.
    func pause(of line: Circuit) -> OpenCircuit? {
        guard let (trouble, nextProbeAt) = self.breakers[line]?.pause else { return nil }
        let types = Set(self.kinds.filter { $0.value.contains(line) }.map(\.key.pushType))
        if types.isEmpty { return nil }
        return OpenCircuit(
            line: line.named,
            pushTypes: types,
            cause: trouble.cause.name,
            reason: String(trouble.cause.reason.prefix(500)),
            since: trouble.since,
            nextProbeAt: nextProbeAt
        )
    }

    /// The circuits whose credential APNs rejects, by the kinds that wait for another credential.
    var refusedLines: [RoutingKey: Set<Circuit>] {
        self.kinds.compactMapValues { lines in
            let refused = lines.filter { line in
                if case .credential = self.breakers[line]?.trouble?.cause { true } else { false }
            }
            return refused.isEmpty ? nil : refused
        }
    }

    func lines(of app: AppID) -> [(line: Circuit, breaker: CircuitBreaker, kinds: [RoutingKey])] {
        var kinds: [Circuit: [RoutingKey]] = [:]
        for (kind, lines) in self.kinds where kind.app == app {
            for line in lines { kinds[line, default: []].append(kind) }
        }
        return kinds.map { ($0.key, self.breakers[$0.key] ?? CircuitBreaker(), $0.value) }
    }
}
