// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Follows an app's feed and writes it to a reader for as long as that reads.
///
/// The reader's socket sets the pace: a page is read from the store only after the one before was written, so that a slow
/// reader costs one page of memory, however far behind it is. One that is gone is noticed by the next heartbeat.
struct EventFeed: Sendable {
    /// How many events are read at once.
    private static let pageSize = 500

    let store: any PushStore
    let signals: EventSignals
    let clock: any Clock<Duration>

    /// How often the store is asked without a signal, for events of other processes and for whether the reader may go on.
    let recheckInterval: Duration

    /// How often something is written when nothing happens.
    let heartbeatInterval: Duration

    /// Writes events until the reader is gone, the server stops, the reader may not read any more, or has fallen behind
    /// what is kept.
    ///
    /// It calls `isAllowed` once in each ``recheckInterval``.
    /// - Throws: what the store throws, and what writing to a reader that is gone throws.
    func write(
        _ query: EventQuery,
        as format: EventFormat,
        to writer: inout any ResponseBodyWriter,
        while isAllowed: @escaping @Sendable () async -> Bool
    ) async throws {
        // Subscribed before the first page is read, so that nothing falls between the two.
        let (wakes, wake) = self.signals.subscribe(to: query.app)
        let signs = Signs()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await self.clock.sleep(for: self.recheckInterval)) != nil {
                    guard await isAllowed() else {
                        signs.isOver = true
                        return wake.finish()
                    }
                    wake.yield()
                }
            }
            group.addTask {
                while (try? await self.clock.sleep(for: self.heartbeatInterval)) != nil {
                    signs.isBeatDue = true
                    wake.yield()
                }
            }
            group.addTask {
                try? await gracefulShutdown()
                wake.finish()
            }
            defer { group.cancelAll() }
            try await writer.write(format.opening)
            var cursor = query.after
            var iterator = wakes.makeAsyncIterator()
            repeat {
                var hasMore = true
                while hasMore, !signs.isOver, !Task.isShuttingDownGracefully {
                    let page = try await self.store.events(
                        of: query.app,
                        after: cursor,
                        limit: Self.pageSize,
                        kinds: query.kinds
                    )
                    // It missed events: the next connection is told.
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

    /// What the task that writes is told by those beside it.
    private final class Signs: Sendable {
        private let state = Mutex((isBeatDue: false, isOver: false))

        var isBeatDue: Bool {
            get { self.state.withLock { $0.isBeatDue } }
            set { self.state.withLock { $0.isBeatDue = newValue } }
        }

        /// The reader may not go on.
        var isOver: Bool {
            get { self.state.withLock { $0.isOver } }
            set { self.state.withLock { $0.isOver = newValue } }
        }
    }
}

/// How a stream of events is written.
enum EventFormat: Sendable {
    /// Newline-delimited JSON: one event a line, an empty line as a heartbeat.
    case lines

    /// Server-sent events (WHATWG HTML, section 9.2), as `EventSource` reads them.
    case serverSent

    /// The format that a request's `Accept` asks for; `nil` for a page.
    init?(accept: String?) {
        let types = (accept ?? "").split(separator: ",").map { type in
            type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        }
        if types.contains("text/event-stream") {
            self = .serverSent
        } else if types.contains("application/x-ndjson") {
            self = .lines
        } else {
            return nil
        }
    }

    var contentType: String {
        switch self {
        case .lines: "application/x-ndjson"
        case .serverSent: "text/event-stream"
        }
    }

    /// What is written first: a reader that loses the connection comes back after two seconds.
    var opening: ByteBuffer {
        switch self {
        case .lines: ByteBuffer(string: "\n")
        case .serverSent: ByteBuffer(string: "retry: 2000\n\n")
        }
    }

    /// What is written when nothing happens, and readers pass over.
    var heartbeat: ByteBuffer {
        switch self {
        case .lines: ByteBuffer(string: "\n")
        case .serverSent: ByteBuffer(string: ": heartbeat\n\n")
        }
    }

    func bytes(of events: [Event]) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        for event in events {
            let json = try event.json.json()
            switch self {
            case .lines:
                buffer.writeBytes(json)
                buffer.writeString("\n")
            case .serverSent:
                buffer.writeString("id: \(event.cursor)\nevent: \(event.kind)\ndata: ")
                buffer.writeBytes(json)
                buffer.writeString("\n\n")
            }
        }
        return buffer
    }
}

/// Wakes the streams that follow an app's feed, from one subscription to the store.
///
/// While `run()` is not active, nobody is woken; streams then depend on their slow re-check.
final class EventSignals: Service {
    private struct State {
        var waiting: [AppID: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var nextID: UInt64 = 0
    }

    private let changes: AsyncStream<StoreChange>
    private let state = Mutex(State())

    /// Subscribes to the store at once, so that nothing is missed before `run()` has begun.
    init(store: any PushStore) {
        self.changes = store.changes { change in
            if case .eventsAppended = change { true } else { false }
        }
    }

    func run() async throws {
        for await change in self.changes.cancelOnGracefulShutdown() {
            if case .eventsAppended(let app) = change {
                self.wake { $0[app].map { Array($0.values) } ?? [] }
            } else {
                // Some were missed: of any app.
                self.wake { $0.values.flatMap(\.values) }
            }
        }
    }

    /// A subscription to an app's feed.
    ///
    /// - Returns: a stream with an element for each time at which to look for events, of which one that waits stands for
    ///   all, and what adds further elements or ends it. Dropping the stream ends the subscription.
    func subscribe(to app: AppID) -> (wakes: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation) {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = self.state.withLock { state in
            state.nextID += 1
            state.waiting[app, default: [:]][state.nextID] = wake
            return state.nextID
        }
        wake.onTermination = { [weak self] _ in self?.forget(number, of: app) }
        return (wakes, wake)
    }

    private func wake(
        _ choose: ([AppID: [UInt64: AsyncStream<Void>.Continuation]]) -> [AsyncStream<Void>.Continuation]
    ) {
        // Yielding under the lock could end a stream, which takes the lock again: the continuations are copied.
        for waiting in self.state.withLock({ choose($0.waiting) }) { waiting.yield() }
    }

    private func forget(_ number: UInt64, of app: AppID) {
        self.state.withLock { state in
            state.waiting[app]?[number] = nil
            if state.waiting[app]?.isEmpty == true { state.waiting[app] = nil }
        }
    }
}
