// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// A connection as other threads know it.
struct ConnectionHandle: Sendable {
    let id: Int
    let connection: NIOLoopBound<APNsConnection>
    let eventLoop: any EventLoop

    /// Tells the connection that there is work.
    func wake() {
        self.eventLoop.execute { self.connection.value.wake() }
    }

    /// Tells the connection to take no more work and to close after its last answer.
    func drain() {
        self.eventLoop.execute { self.connection.value.drain() }
    }

    /// Closes the connection at once.
    func close() {
        self.eventLoop.execute { self.connection.value.close() }
    }
}
