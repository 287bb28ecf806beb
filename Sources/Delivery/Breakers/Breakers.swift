// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import Logging
import PushModel
import Synchronization

/// What all batches of this process know of their lines, and who tells of a line that is paused; see ``BreakerTable``.
final class Breakers: Sendable {
    private let rule: BreakerRule
    private let logger: Logger
    private let metrics: DeliveryMetrics
    private let table = Mutex(BreakerTable())
    private let probed = Mutex<Set<Line>>([])

    /// Told of each line whose standing has changed.
    private let notes: PauseNotes

    init(rule: BreakerRule, notes: PauseNotes, logger: Logger, metrics: DeliveryMetrics) {
        self.rule = rule
        self.notes = notes
        self.logger = logger
        self.metrics = metrics
    }

    func standing(of line: Line, now: Date) -> Breaker.Standing {
        self.table.withLock { $0.standing(of: line, now: now) }
    }

    func standings(now: Date) -> [BatchKind: Breaker.Standing] {
        self.table.withLock { $0.standings(now: now) }
    }

    var refusedLines: [BatchKind: Set<Line>] { self.table.withLock(\.refusedLines) }

    func lines(of app: AppID) -> [(line: Line, breaker: Breaker, kinds: [BatchKind])] {
        self.table.withLock { $0.lines(of: app) }
    }

    /// Somebody is about to find out whether a line serves.
    ///
    /// - Returns: whether nobody else is; then ``endProbe(of:)`` has to follow.
    func beginProbe(of line: Line) -> Bool { self.probed.withLock { $0.insert(line).inserted } }

    /// Whoever wanted to find out about a line has done so.
    func endProbe(of line: Line) { _ = self.probed.withLock { $0.remove(line) } }

    /// What stands in the way of a line, for other processes; `nil` when nothing does.
    func pause(of line: Line) -> DeliveryPause? {
        self.table.withLock { table in
            guard let pause = table.pause(of: line) else { return nil }
            return DeliveryPause(
                line: line.named,
                pushTypes: pause.pushTypes,
                cause: pause.trouble.cause.name,
                reason: String(pause.trouble.cause.reason.prefix(Self.reasonLength)),
                since: pause.trouble.since,
                nextAttempt: pause.nextAttempt
            )
        }
    }

    /// The most characters of a reason that others are told.
    private static let reasonLength = 500

    /// Takes note of where the batches of a kind go; see ``BreakerTable/learn(_:_:)``.
    ///
    /// - Returns: whether they went elsewhere before: more may be sent now.
    @discardableResult
    func learn(_ kind: BatchKind, _ lines: Set<Line>) -> Bool {
        let lesson = self.table.withLock { $0.learn(kind, lines) }
        for (line, trouble) in lesson.abandoned {
            self.metrics.closed(line)
            self.notes.note(line)
            let isReplaced = lines.contains { $0.environment == line.environment }
            let news: Logger.Message =
                isReplaced ? "Sending goes on with another credential" : "There is no credential any more"
            self.log(.notice, news, line, trouble)
        }
        return lesson.isNews
    }

    /// Records the responses to a chunk.
    ///
    /// Reports once when the line pauses, and once when it serves again.
    /// - Returns: whether more may be sent than before.
    func note(_ evidence: Evidence, of line: Line, now: Date) -> Bool {
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
            self.log(.warning, trouble.cause.announcement, line, trouble, until: until)
            return false
        case .closed(let trouble):
            self.metrics.closed(line)
            self.log(.notice, "Sending goes on", line, trouble)
            return true
        }
    }

    private func log(
        _ level: Logger.Level,
        _ message: Logger.Message,
        _ line: Line,
        _ trouble: Breaker.Trouble,
        until: Date? = nil
    ) {
        var metadata: Logger.Metadata = [
            "app": "\(line.app)", "credential": "\(line.credential)",
            "apns.environment": "\(line.environment.rawValue)",
            "apns.host": "\(line.destination.endpoint.host)", "cause": "\(trouble.cause.name)",
            "apns.reason": "\(trouble.cause.reason)",
        ]
        if let until { metadata["until"] = "\(until.formatted(.iso8601))" }
        self.logger.log(level: level, message, metadata: metadata)
    }
}

extension Breaker.Cause {
    fileprivate var announcement: Logger.Message {
        switch self {
        case .unreachable: "APNs cannot be reached; what was not sent is kept"
        case .credential: "APNs refuses a credential; what it is for is kept until another one is there"
        case .overload: "APNs is overloaded; sending is paused"
        }
    }
}

/// The breakers of all lines, and so which kinds of batches may be sent: a value without a clock.
struct BreakerTable {
    private var breakers: [Line: Breaker] = [:]
    private var kinds: [BatchKind: Set<Line>] = [:]

    /// What became known of where the batches of a kind go.
    struct Lesson {
        /// Whether they went elsewhere before.
        var isNews = false

        /// The lines that nothing goes to any more although they were in trouble.
        var abandoned: [(line: Line, trouble: Breaker.Trouble)] = []
    }

    func standing(of line: Line, now: Date) -> Breaker.Standing {
        self.breakers[line]?.standing(now: now) ?? .unproven
    }

    /// How the kinds stand that were sent before.
    ///
    /// A kind answers if one of its lines does, and is paused if all are. One that has no line at all needs none: its
    /// targets fail at once.
    func standings(now: Date) -> [BatchKind: Breaker.Standing] {
        self.kinds.mapValues { lines in
            if lines.isEmpty { return .answering }
            var end = Date.distantFuture
            var isUnproven = false
            for line in lines {
                switch self.standing(of: line, now: now) {
                case .answering: return .answering
                case .unproven: isUnproven = true
                case .paused(let until): end = min(end, until)
                }
            }
            return isUnproven ? .unproven : .paused(until: end)
        }
    }

    /// Takes note of where the batches of a kind go; what no kind goes to any more is forgotten.
    mutating func learn(_ kind: BatchKind, _ lines: Set<Line>) -> Lesson {
        guard let former = self.kinds.updateValue(lines, forKey: kind), former != lines else { return Lesson() }
        let used = self.kinds.values.reduce(into: Set<Line>()) { $0.formUnion($1) }
        var lesson = Lesson(isNews: true)
        for gone in former.subtracting(used) {
            guard let breaker = self.breakers.removeValue(forKey: gone), let trouble = breaker.trouble else { continue }
            lesson.abandoned.append((gone, trouble))
        }
        return lesson
    }

    /// Records the responses to a chunk, as ``Breaker/note(_:now:rule:using:)`` does.
    ///
    /// What comes late over a line to which no kind goes any more still steers the batches that are on their way over it, but
    /// nobody is told: nobody would ever hear that it is over.
    mutating func note(
        _ evidence: Evidence,
        of line: Line,
        now: Date,
        rule: BreakerRule,
        using generator: inout some RandomNumberGenerator
    ) -> Breaker.Change {
        let change = self.breakers[line, default: Breaker()].note(evidence, now: now, rule: rule, using: &generator)
        let isUsed = change == .none || self.kinds.values.contains { $0.contains(line) }
        return isUsed ? change : .none
    }

    /// What is wrong with a line, and which pushes wait for that; `nil` when nothing is known to be, or nothing goes there.
    func pause(of line: Line) -> (trouble: Breaker.Trouble, nextAttempt: Date, pushTypes: Set<PushType>)? {
        guard let pause = self.breakers[line]?.pause else { return nil }
        let types = Set(self.kinds.filter { $0.value.contains(line) }.map(\.key.pushType))
        return types.isEmpty ? nil : (pause.trouble, pause.nextAttempt, types)
    }

    /// The lines whose credential APNs refuses, by the kinds that wait for another one.
    var refusedLines: [BatchKind: Set<Line>] {
        self.kinds.compactMapValues { lines in
            let refused = lines.filter { line in
                if case .credential = self.breakers[line]?.trouble?.cause { true } else { false }
            }
            return refused.isEmpty ? nil : refused
        }
    }

    /// How the lines of an app stand, with the kinds that go over each.
    func lines(of app: AppID) -> [(line: Line, breaker: Breaker, kinds: [BatchKind])] {
        var kinds: [Line: [BatchKind]] = [:]
        for (kind, lines) in self.kinds where kind.app == app {
            for line in lines { kinds[line, default: []].append(kind) }
        }
        return kinds.map { ($0.key, self.breakers[$0.key] ?? Breaker(), $0.value) }
    }
}
