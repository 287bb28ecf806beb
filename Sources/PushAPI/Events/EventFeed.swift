// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization
import Work

/// Follows an app's feed and writes it to a reader for as long as that reads.
///
/// The reader's socket sets the pace: a page is read from the store only after the one before was written, so that a
/// slow reader costs one page of memory, however far behind it is. One that is gone is noticed by the next heartbeat.
struct EventFeed: Sendable {
    /// How many events are read at once.
    private static let pageSize = 500

    let store: any EventStore
    let signals: ChangeHub<AppID>
    let clock: any Clock<Duration>

    /// The interval of polls, for events of other processes and for whether the reader may continue.
    let recheckInterval: Duration

    /// How often something is written when nothing happens.
    let heartbeatInterval: Duration

    /// Writes events until the reader disconnects, the server stops, the reader loses its permission, or its cursor
    /// expires.
    ///
    /// It calls `isAllowed` once in each ``recheckInterval``.
    /// - Throws: the errors of the store, and of writing to a reader that has disconnected.
    func write(
        _ query: EventQuery,
        as format: EventFormat,
        to writer: inout any ResponseBodyWriter,
        while isAllowed: @escaping @Sendable () async -> Bool
    ) async throws {
        // Subscribed before the first page is read, so that nothing falls between the two.
        let subscription = self.signals.subscribe(to: query.app)
        defer { subscription.end() }
        let signs = Signs()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await self.clock.sleep(for: self.recheckInterval)) != nil {
                    guard await isAllowed() else {
                        signs.isOver = true
                        return subscription.end()
                    }
                    subscription.wake()
                }
            }
            group.addTask {
                while (try? await self.clock.sleep(for: self.heartbeatInterval)) != nil {
                    signs.isBeatDue = true
                    subscription.wake()
                }
            }
            group.addTask {
                try? await gracefulShutdown()
                subscription.end()
            }
            defer { group.cancelAll() }
            try await writer.write(format.opening)
            var cursor = query.after
            var iterator = subscription.wakes.makeAsyncIterator()
            repeat {
                var hasMore = true
                while hasMore, !signs.isOver, !Task.isShuttingDownGracefully {
                    let page = try await self.store.events(
                        of: query.app,
                        after: cursor,
                        limit: Self.pageSize,
                        kinds: query.types
                    )
                    // The reader missed events: its next connection gets the error.
                    if let cursor, cursor < page.oldest { return }
                    cursor = page.next
                    hasMore = page.hasMore
                    guard !page.events.isEmpty else { continue }
                    try await writer.write(try format.bytes(of: page.events))
                    signs.isBeatDue = false
                }
                if signs.isBeatDue {
                    signs.isBeatDue = false
                    try await writer.write(format.heartbeat)
                }
            } while await iterator.next() != nil && !signs.isOver && !Task.isShuttingDownGracefully
        }
        try await writer.finish(nil)
    }

    /// The signals of concurrent tasks to the task that writes.
    private final class Signs: Sendable {
        private let state = Mutex((isBeatDue: false, isOver: false))

        var isBeatDue: Bool {
            get { self.state.withLock { $0.isBeatDue } }
            set { self.state.withLock { $0.isBeatDue = newValue } }
        }

        /// Whether the reader must not continue.
        var isOver: Bool {
            get { self.state.withLock { $0.isOver } }
            set { self.state.withLock { $0.isOver = newValue } }
        }
    }
}
