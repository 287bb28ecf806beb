// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Synchronization

/// The connections of the legacy ports that are open.
final class LegacyConnections: Sendable {
    private struct Entry {
        var channel: any Channel
        var gateway: NIOLoopBound<GatewayConnection>?
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    /// Takes note of a connection, on its event loop, until it is closed.
    func add(_ channel: any Channel, gateway: GatewayConnection?) {
        let key = ObjectIdentifier(channel)
        let bound = gateway.map { NIOLoopBound($0, eventLoop: channel.eventLoop) }
        self.entries.withLock { $0[key] = Entry(channel: channel, gateway: bound) }
        channel.closeFuture.whenComplete { _ in
            self.entries.withLock { _ = $0.removeValue(forKey: key) }
        }
    }

    /// Ends all connections, and cuts those off that are still there after `grace`.
    func shutDown(grace: TimeAmount) async {
        let entries = self.entries.withLock { Array($0.values) }
        let deadlines = entries.map { entry in
            let (channel, gateway) = (entry.channel, entry.gateway)
            channel.eventLoop.execute {
                if let gateway { gateway.value.shutDown() } else { channel.close(promise: nil) }
            }
            return channel.eventLoop.scheduleTask(in: grace) {
                channel.close(promise: nil)
            }
        }
        for (entry, deadline) in zip(entries, deadlines) {
            try? await entry.channel.closeFuture.get()
            deadline.cancel()
        }
    }
}
