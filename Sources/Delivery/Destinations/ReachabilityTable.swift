// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which destinations answer, which are out and for how long, and so which kinds of batches may be sent.
///
/// A value without a clock. A destination is unproven until it answers: little is sent to it until then. One that
/// cannot be reached is left alone for a back-off, and is unproven again after that.
struct ReachabilityTable {
    private struct Entry {
        var isAnswering = false
        var failures = 0
        var until = Date.distantPast
    }

    /// How a destination stands.
    enum Standing: Hashable, Sendable {
        /// Nobody knows whether it answers.
        case unproven

        /// It answered, and has not failed since.
        case answering

        /// It could not be reached: nothing is sent to it before then.
        case out(until: Date)
    }

    private var entries: [APNsDestination: Entry] = [:]
    private var kinds: [BatchKind: Set<APNsDestination>] = [:]

    /// How a destination stands at a time.
    func standing(of destination: APNsDestination, now: Date) -> Standing {
        guard let entry = self.entries[destination] else { return .unproven }
        if entry.isAnswering { return .answering }
        return entry.until > now ? .out(until: entry.until) : .unproven
    }

    /// How the kinds stand that were sent before.
    ///
    /// A kind answers if one of its destinations does, and is out if all are. One that has no destination at all needs
    /// none: its targets fail at once.
    func standings(now: Date) -> [BatchKind: Standing] {
        self.kinds.mapValues { destinations in
            if destinations.isEmpty { return .answering }
            var end = Date.distantFuture
            var isUnproven = false
            for destination in destinations {
                switch self.standing(of: destination, now: now) {
                case .answering: return .answering
                case .unproven: isUnproven = true
                case .out(let until): end = min(end, until)
                }
            }
            return isUnproven ? .unproven : .out(until: end)
        }
    }

    /// Takes note of where the batches of a kind go; what no kind goes to any more is forgotten.
    mutating func learn(_ kind: BatchKind, _ destinations: Set<APNsDestination>) {
        guard let former = self.kinds.updateValue(destinations, forKey: kind), former != destinations else { return }
        let used = self.kinds.values.reduce(into: Set<APNsDestination>()) { $0.formUnion($1) }
        for gone in former.subtracting(used) { self.entries.removeValue(forKey: gone) }
    }

    /// A destination answered.
    ///
    /// - Returns: whether that is news: more may be sent now.
    mutating func answered(_ destination: APNsDestination) -> Bool {
        if self.entries[destination]?.isAnswering == true { return false }
        self.entries[destination] = Entry(isAnswering: true)
        return true
    }

    /// A destination could not be reached.
    ///
    /// - Parameters:
    ///   - destination: the destination.
    ///   - now: the time; those who fail while it is out already count as one.
    ///   - delay: how long to stay away after so many failures in a row.
    /// - Returns: until when it is out.
    mutating func failed(_ destination: APNsDestination, now: Date, delay: (Int) -> Duration) -> Date {
        var entry = self.entries[destination] ?? Entry()
        if entry.isAnswering || entry.until <= now {
            entry.failures += 1
            entry.isAnswering = false
            entry.until = now.advanced(by: delay(entry.failures) / .seconds(1))
            self.entries[destination] = entry
        }
        return entry.until
    }
}
