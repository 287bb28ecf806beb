// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

    /// How a line stands at a time.
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

    /// Takes note of the answers to a slice; see ``Breaker/note(_:now:rule:using:)``.
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
