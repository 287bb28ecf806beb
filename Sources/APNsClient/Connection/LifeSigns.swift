// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// Whether a peer is still there: when it was last heard of, and whether it owes the answer to a PING.
///
/// A value without a clock.
struct LifeSigns {
    /// What is to be done about the peer.
    enum Step {
        case nothing
        /// It is asked for a sign of life.
        case ping
        /// It is taken to be gone.
        case giveUp
    }

    private var lastReceived: NIODeadline
    private var pingSentAt: NIODeadline?

    init(now: NIODeadline) {
        self.lastReceived = now
    }

    mutating func received(now: NIODeadline) {
        self.lastReceived = now
    }

    mutating func pingAnswered() {
        self.pingSentAt = nil
    }

    /// Decides what to do; whoever is told `ping` sends one.
    ///
    /// `oldestRequest` is the time at which the oldest request without an answer was sent; `nil` if there is none.
    mutating func check(
        oldestRequest: NIODeadline?,
        now: NIODeadline,
        configuration: APNsClientConfiguration
    ) -> Step {
        if let pingSentAt = self.pingSentAt {
            return now - pingSentAt > TimeAmount(configuration.pingTimeout) ? .giveUp : .nothing
        }
        let isSilent = now - self.lastReceived > TimeAmount(configuration.idlePingInterval)
        let waitsSince = oldestRequest.map { max($0, self.lastReceived) }
        let isWaiting = waitsSince.map { now - $0 > TimeAmount(configuration.answerTimeout) } ?? false
        guard isSilent || isWaiting else { return .nothing }
        self.pingSentAt = now
        return .ping
    }
}
