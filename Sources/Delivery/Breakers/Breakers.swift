// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Logging
import PushModel
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What all batches of this process know of their lines, and who tells of a line that is paused; see ``BreakerTable``.
final class Breakers: Sendable {
    private let rule: BreakerRule
    private let logger: Logger
    private let metrics: DeliveryMetrics
    private let table = Mutex(BreakerTable())
    private let probed = Mutex<Set<Line>>([])

    /// Told of each line whose standing has changed.
    private let notes: PauseNotes

    /// Breakers of lines that nobody knows of.
    init(rule: BreakerRule, notes: PauseNotes, logger: Logger, metrics: DeliveryMetrics) {
        self.rule = rule
        self.notes = notes
        self.logger = logger
        self.metrics = metrics
    }

    /// See ``BreakerTable/standing(of:now:)``.
    func standing(of line: Line, now: Date) -> Breaker.Standing {
        self.table.withLock { $0.standing(of: line, now: now) }
    }

    /// See ``BreakerTable/standings(now:)``.
    func standings(now: Date) -> [BatchKind: Breaker.Standing] {
        self.table.withLock { $0.standings(now: now) }
    }

    /// See ``BreakerTable/refusedLines``.
    var refusedLines: [BatchKind: Set<Line>] { self.table.withLock(\.refusedLines) }

    /// See ``BreakerTable/lines(of:)``.
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

    /// Takes note of the answers to a slice; tells of a line that is paused, and of one that serves again, once.
    ///
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
