// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// What the answers to one slice say of the line that it went over.
struct Evidence: Hashable {
    /// How many were accepted, or rejected for the sake of the target or the request.
    var served = 0

    /// How many were answered with 5xx.
    var overloads = 0

    /// The tokens to which APNs takes no more for now (429), each by its hash.
    ///
    /// One of them is itself too much in demand, and says nothing of the line; very many are a line's trouble.
    var crowded: Set<Int> = []

    /// The last of all these.
    var overload: Rejection?

    /// APNs refused the credential, with this.
    var refusal: Rejection?

    /// There was no connection, in the client's words.
    var unreachability: String?

    /// Looks at the answers to a slice.
    ///
    /// `token` returns a hash of the token of the target at a place.
    init(_ verdicts: [SendVerdict], token: (Int) -> Int) {
        for (place, verdict) in verdicts.enumerated() {
            switch verdict {
            case .delivered: self.served += 1
            case .refused(let rejection): self.refusal = self.refusal ?? rejection
            case .unreachable(let message): self.unreachability = self.unreachability ?? message
            case .notSent, .cancelled: continue
            case .final(let outcome), .again(let outcome), .later(let outcome, _):
                guard case .rejected(let rejection) = outcome else { continue }
                switch rejection.status {
                case 429:
                    if !self.crowded.insert(token(place)).inserted { self.served += 1 }
                    self.overload = rejection
                case 500...:
                    self.overloads += 1
                    self.overload = rejection
                default: self.served += 1
                }
            }
        }
    }

    init(
        served: Int = 0,
        overloads: Int = 0,
        crowded: Set<Int> = [],
        overload: Rejection? = nil,
        refusal: Rejection? = nil,
        unreachability: String? = nil
    ) {
        self.served = served
        self.overloads = overloads
        self.crowded = crowded
        self.overload = overload
        self.refusal = refusal
        self.unreachability = unreachability
    }

    /// How many answers APNs gave that say something of how it is.
    var answers: Int { self.served + self.overloads + self.crowded.count }

    /// Whether APNs did what it was asked for at least once: what it says of a single token is said in the place of that.
    var isServed: Bool { self.served > 0 || self.crowded.count == 1 }

    /// How many answers said that APNs is overloaded, as far as these alone can tell.
    var complaints: Int { self.overloads + (self.crowded.count > 1 ? self.crowded.count : 0) }

    /// Whether APNs was reached.
    var isAnswered: Bool { self.answers > 0 || self.refusal != nil }
}

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
    /// - Returns: the sums of the window, these included.
    mutating func add(_ evidence: Evidence, now: Date, length: Duration) -> Sums {
        let slotLength = max(0.001, length / .seconds(1) / Double(Self.slotCount))
        let number = Int64(clamping: (now.timeIntervalSince1970 / slotLength).rounded(.down))
        let expired = number.subtractingClamping(Self.slotCount)
        // A clock that was set back begins anew.
        self.slots.removeAll { $0.number <= expired || $0.number > number }
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
