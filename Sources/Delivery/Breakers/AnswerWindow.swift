// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How many answers came lately, and how many of them said that APNs is overloaded: ten slots that follow the time.
///
/// A token to which APNs takes no more counts once, however often it is sent to.
struct AnswerWindow {
    /// Sums over the window.
    struct Sums: Hashable {
        var answers = 0
        var overloads = 0
    }

    private struct Slot {
        let number: Int64
        var sums = Sums()
        var crowded: Set<Int> = []
    }

    private static let slotCount: Int64 = 10

    private var slots: [Slot] = []

    /// Counts answers.
    ///
    /// - Parameters:
    ///   - evidence: what they say.
    ///   - now: when they came.
    ///   - length: how long the window remembers.
    /// - Returns: the sums of the window, these included.
    mutating func add(_ evidence: Evidence, now: Date, length: Duration) -> Sums {
        let slotLength = max(0.001, length / .seconds(1) / Double(Self.slotCount))
        let number = Int64((now.timeIntervalSince1970 / slotLength).rounded(.down))
        // A clock that was set back begins anew.
        self.slots.removeAll { $0.number <= number - Self.slotCount || $0.number > number }
        if self.slots.last?.number != number { self.slots.append(Slot(number: number)) }
        let last = self.slots.count - 1
        self.slots[last].sums += Sums(answers: evidence.answers, overloads: evidence.overloads)
        self.slots[last].crowded.formUnion(evidence.crowded)
        var sums = self.slots.reduce(into: Sums()) { $0 += $1.sums }
        sums.overloads += self.slots.reduce(into: Set<Int>()) { $0.formUnion($1.crowded) }.count
        return sums
    }
}

extension AnswerWindow.Sums {
    fileprivate static func += (left: inout Self, right: Self) {
        left.answers += right.answers
        left.overloads += right.overloads
    }
}
