// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The update token of a Live Activity, from its coming to its end.
struct ActivityToken: Codable, Sendable {
    enum Phase: Codable, Hashable, Sendable {
        /// There is none and none will come.
        ///
        /// Can transition to: `due`, `withheld`.
        case none
        /// It comes at this time, in seconds since 1970.
        ///
        /// Can transition to: `issued`, `ended`.
        case due(Double)
        /// It requires the user's Allow.
        ///
        /// Can transition to: `due`, `ended`.
        case withheld
        /// It takes pushes, and changes at this time, in seconds since 1970.
        ///
        /// Can transition to: `ending`, `ended`.
        case issued(rotatesAt: Double?)
        /// The activity is over; the token is still accepted until this time, in seconds since 1970.
        ///
        /// Can transition to: `ended`.
        case ending(Double)
        /// The response for it is 410.
        case ended
    }

    var phase: Phase = .none
    /// The token itself, once it was issued.
    var key: TokenKey?

    /// The time of the next automatic transition, in seconds since 1970.
    var nextDue: Double? {
        switch self.phase {
        case .due(let time), .ending(let time): time
        case .issued(let time): time
        case .none, .withheld, .ended: nil
        }
    }
}
