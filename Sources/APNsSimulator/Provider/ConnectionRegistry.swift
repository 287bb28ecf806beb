// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import Synchronization

/// The provider connections that are open, so that they can be told when the simulator stops.
final class ConnectionRegistry: Sendable {
    private struct Entry {
        var connection: NIOLoopBound<ProviderConnection>
        var channel: any Channel
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var total = 0
    }

    private let state = Mutex(State())

    /// How many connections are open, and how many there were in all.
    var counts: (open: Int, total: Int) { self.state.withLock { ($0.entries.count, $0.total) } }

    /// Takes note of a connection, on its event loop.
    func add(_ connection: ProviderConnection, channel: any Channel) {
        let entry = Entry(connection: NIOLoopBound(connection, eventLoop: channel.eventLoop), channel: channel)
        let key = ObjectIdentifier(connection)
        self.state.withLock { state in
            state.entries[key] = entry
            state.total += 1
        }
    }

    /// Forgets a connection that has closed.
    func remove(_ connection: ProviderConnection) {
        let key = ObjectIdentifier(connection)
        self.state.withLock { _ = $0.entries.removeValue(forKey: key) }
    }

    /// Says GOAWAY with `Shutdown` on all connections, and cuts those off that are still there after `grace`.
    func shutDown(grace: TimeAmount) async {
        let entries = self.state.withLock { Array($0.entries.values) }
        let deadlines = entries.map { entry in
            let (channel, connection) = (entry.channel, entry.connection)
            channel.eventLoop.execute { connection.value.goAway(.shutdown) }
            return channel.eventLoop.scheduleTask(in: grace) { channel.close(promise: nil) }
        }
        for (entry, deadline) in zip(entries, deadlines) {
            try? await entry.channel.closeFuture.get()
            deadline.cancel()
        }
    }
}
