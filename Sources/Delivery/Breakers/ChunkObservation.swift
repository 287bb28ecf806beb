// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// A summary of the APNs responses to one chunk, as input for its circuit breaker.
struct ChunkObservation: Hashable {
    /// The number of pushes that APNs accepted, or rejected because of the target or the request.
    var served = 0

    var overloads = 0

    /// The hashes of the tokens with a 429 response.
    ///
    /// A single token is sent to too often, which says nothing about the circuit. Many tokens are a failure of the
    /// circuit.
    var crowded: Set<Int> = []

    /// The last 5xx or 429 response.
    var overload: Rejection?

    /// The first response that rejected the credential.
    var refusal: Rejection?

    /// The message of the client if there was no connection.
    var unreachability: String?

    /// The number of responses that say something about the health of APNs.
    var answers: Int { self.served + self.overloads + self.crowded.count }

    /// Whether APNs served at least one push; a 429 for a single token counts as served.
    var isServed: Bool { self.served > 0 || self.crowded.count == 1 }

    /// The number of overload responses; 429 counts if there are several tokens.
    var complaints: Int { self.overloads + (self.crowded.count > 1 ? self.crowded.count : 0) }

    var isAnswered: Bool { self.answers > 0 || self.refusal != nil }
}

extension ChunkObservation {
    /// Summarizes the results of a chunk; `token` returns a hash of the token of the target at an index.
    init(_ verdicts: [SendDisposition], token: (Int) -> Int) {
        self.init()
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
}

/// A sliding-window counter of responses and overload responses, in ten slots.
///
/// Repeated 429 responses for one token count once.
struct SlidingWindowCounter {
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

    /// Counts the responses to a chunk, and returns the sums of the window with these included.
    mutating func add(_ evidence: ChunkObservation, now: Date, length: Duration) -> Sums {
        let slotLength = max(0.001, length / .seconds(1) / Double(Self.slotCount))
        let number = Int64(clamping: (now.timeIntervalSince1970 / slotLength).rounded(.down))
        let expired = number.subtractingClamping(Self.slotCount)
        // After the clock was set back, later slots would never expire.
        self.slots.removeAll { $0.number <= expired || $0.number > number }
        if self.slots.last?.number != number { self.slots.append(Slot(number: number)) }
        let last = self.slots.count - 1
        self.slots[last].sums.answers += evidence.answers
        self.slots[last].sums.overloads += evidence.overloads
        self.slots[last].crowded.formUnion(evidence.crowded)
        let crowded = self.slots.reduce(into: Set<Int>()) { $0.formUnion($1.crowded) }
        return self.slots.reduce(into: Sums(overloads: crowded.count)) { sums, slot in
            sums.answers += slot.sums.answers
            sums.overloads += slot.sums.overloads
        }
    }
}
