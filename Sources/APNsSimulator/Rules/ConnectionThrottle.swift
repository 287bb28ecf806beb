// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The stream limit and the error points of a connection.
///
/// A pure state machine: the owner executes the returned actions.
struct ConnectionThrottle: Sendable, Equatable {
    /// The action after a response.
    enum Action: Equatable {
        /// Announce another limit of concurrent streams.
        case grant(UInt32)
        /// Send the provider a GOAWAY.
        case goAway(RejectionReason)
    }

    /// How many streams the connection may have open at once.
    private(set) var granted: UInt32
    /// The points of its errors, minus those of its successes.
    private(set) var points: Double = 0
    /// The number of responses with status 4xx, without 410.
    private(set) var errors = 0
    /// How many of those were `BadDeviceToken`.
    private(set) var badDeviceTokens = 0
    /// The number of responses with status 410.
    private(set) var gone = 0
    /// The number of responses with status 200.
    private(set) var successes = 0
    /// How many streams it would have without errors.
    private var reach: UInt32
    private let maximum: UInt32
    /// How often the grant is halved.
    private var halvings = 0
    private var isLeaving = false

    init(initial: UInt32, maximum: UInt32) {
        self.granted = initial
        self.reach = initial
        self.maximum = maximum
    }

    /// A certificate was shown: all streams are granted.
    mutating func trusted() -> Action? {
        self.reach = self.maximum
        return self.settle()
    }

    /// Records a response with status 200, or an event that raises the stream limit like one.
    mutating func succeeded(_ switches: ConnectionOptions) -> Action? {
        self.successes += 1
        // Both are so on nearly every request.
        if self.points == 0, self.reach >= self.maximum { return nil }
        self.grow(switches)
        self.points = max(0, self.points - switches.successCredit)
        let step = switches.shrinkThreshold
        // Half a step of slack, so that the limit does not change with every response.
        while self.halvings > 0, self.points < (Double(self.halvings) - 0.5) * step { self.halvings -= 1 }
        return self.settle()
    }

    /// A request passed authentication and was refused for another reason.
    mutating func authenticated(_ switches: ConnectionOptions) -> Action? {
        guard self.reach < self.maximum else { return nil }
        self.grow(switches)
        return self.settle()
    }

    mutating func failed(_ rejection: Rejection, _ switches: ConnectionOptions) -> Action? {
        guard (400..<500).contains(rejection.status) else { return nil }
        guard rejection.status != 410 else {
            self.gone += 1
            return nil
        }
        self.errors += 1
        let isBadToken = rejection.reason == .badDeviceToken
        if isBadToken { self.badDeviceTokens += 1 }
        guard switches.penalizesErrors, !self.isLeaving else { return nil }
        self.points += isBadToken ? switches.badDeviceTokenWeight : switches.errorWeight
        if let threshold = switches.disconnectThreshold, self.points >= threshold {
            self.isLeaving = true
            return .goAway(switches.disconnectReason)
        }
        // Cannot trap: a threshold is at least 1, and an error has at most 1,000 points.
        self.halvings = max(self.halvings, Int(self.points / switches.shrinkThreshold))
        return self.settle()
    }

    private mutating func grow(_ switches: ConnectionOptions) {
        guard self.reach < self.maximum else { return }
        guard let factor = switches.grantFactor else { return self.reach = self.maximum }
        self.reach = min(self.maximum, max(1, self.reach).multipliedClamping(by: UInt32(clamping: factor)))
    }

    private mutating func settle() -> Action? {
        let grant = max(1, min(self.reach, self.halvings < 32 ? self.maximum >> UInt32(self.halvings) : 0))
        guard grant != self.granted else { return nil }
        self.granted = grant
        return .grant(grant)
    }
}
