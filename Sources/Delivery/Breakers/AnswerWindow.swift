// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How many answers came lately, and how many of them said that APNs is overloaded: ten slots that follow the time.
struct AnswerWindow {
    /// Sums over the window.
    struct Sums: Hashable {
        var answers = 0
        var overloads = 0
    }

    private struct Slot {
        let number: Int64
        var sums: Sums
    }

    private static let slotCount: Int64 = 10

    private var slots: [Slot] = []

    /// Counts answers.
    ///
    /// - Parameters:
    ///   - sums: how many, and how many of them were overloads.
    ///   - now: when they came.
    ///   - length: how long the window remembers.
    /// - Returns: the sums of the window, these included.
    mutating func add(_ sums: Sums, now: Date, length: Duration) -> Sums {
        let slotLength = max(0.001, length / .seconds(1) / Double(Self.slotCount))
        let number = Int64((now.timeIntervalSince1970 / slotLength).rounded(.down))
        // A clock that was set back begins anew.
        self.slots.removeAll { $0.number <= number - Self.slotCount || $0.number > number }
        if self.slots.last?.number != number { self.slots.append(Slot(number: number, sums: Sums())) }
        self.slots[self.slots.count - 1].sums += sums
        return self.slots.reduce(into: Sums()) { $0 += $1.sums }
    }
}

extension AnswerWindow.Sums {
    fileprivate static func += (left: inout Self, right: Self) {
        left.answers += right.answers
        left.overloads += right.overloads
    }
}
