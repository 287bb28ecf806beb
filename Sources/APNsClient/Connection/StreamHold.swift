// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How many requests a connection may have in flight after its server refused some (`REFUSED_STREAM`).
///
/// A server refuses what goes beyond what it takes, whatever it announced. From then on no more goes out than it has
/// kept, and each answer and each pause widens that a little.
struct StreamHold {
    /// The most requests in flight.
    private(set) var limit = Int.max

    /// A request was refused while so many others were kept.
    mutating func refused(inFlight: Int) {
        self.limit = inFlight
    }

    /// Requests were answered: for each one more goes out.
    mutating func answered(_ count: Int) {
        guard self.limit != .max else { return }
        self.limit += count
    }

    /// A pause is over: twice as many go out, and at least one.
    ///
    /// - Parameter maximum: from how many on nothing is held back any more.
    /// - Returns: whether there has to be another pause.
    mutating func pauseEnded(maximum: Int) -> Bool {
        guard self.limit < maximum / 2 else {
            self.limit = .max
            return false
        }
        self.limit = max(1, 2 * self.limit)
        return true
    }
}
