// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// Keep-alive state: when the peer last sent something, and whether a PING is unacknowledged.
///
/// A pure state machine: the caller passes the time.
struct KeepAliveState {
    /// The action for the peer.
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

    /// Decides about the next action; after `ping`, the caller sends a PING.
    ///
    /// `oldestRequest` is the time at which the oldest request without a response was sent; `nil` if there is none.
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
