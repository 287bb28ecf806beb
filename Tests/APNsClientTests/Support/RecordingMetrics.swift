// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Synchronization

/// Keeps what the client counts, and tells of every event as it happens.
final class RecordingMetrics: APNsClientMetrics {
    enum Event: Sendable, Hashable {
        case opened
        case failed
        case closed
        /// A connection has been granted as many streams as the simulator grants those that it trusts.
        case granted
    }

    struct Counts: Sendable, Equatable {
        var opened = 0
        var failed = 0
        var accepted = 0
        var rejected = 0
        var retried = 0
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let state = Mutex(Counts())
    private let ended = Mutex<[ConnectionCloseReason]>([])

    init() {
        (self.events, self.continuation) = AsyncStream.makeStream()
    }

    var counts: Counts { self.state.withLock { $0 } }

    /// How the connections ended that had been ready, in that order.
    var ends: [ConnectionCloseReason] { self.ended.withLock { $0 } }

    func connectionOpened(to host: String) {
        self.state.withLock { $0.opened += 1 }
        self.continuation.yield(.opened)
    }

    func connectionFailed(to host: String) {
        self.state.withLock { $0.failed += 1 }
        self.continuation.yield(.failed)
    }

    func connectionClosed(to host: String, by end: ConnectionCloseReason) {
        self.ended.withLock { $0.append(end) }
        self.continuation.yield(.closed)
    }

    func responsesReceived(accepted: Int, rejected: Int) {
        self.state.withLock { counts in
            counts.accepted += accepted
            counts.rejected += rejected
        }
    }

    func maxConcurrentStreamsChanged(by change: Int, at host: String) {
        if change > 1 { self.continuation.yield(.granted) }
    }

    func retried(_ count: Int) { self.state.withLock { $0.retried += count } }
}
