// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Hummingbird
import NIOCore
import Synchronization

/// The events of an import, one at a time: parts of the file, and seconds that pass.
///
/// The next part is read, and the next second is counted, only when the import has processed the last event. So nothing
/// accumulates, even if the client is fast.
final class ImportEvents: Sendable {
    enum Event: Sendable {
        case part(ByteBuffer)

        /// A second has passed, whether anything came or not.
        case tick

        case end

        /// The connection broke.
        case failure(any Error)
    }

    private typealias Signal = (waits: AsyncStream<Void>, tell: AsyncStream<Void>.Continuation)

    private let events: (waits: AsyncStream<Event>, tell: AsyncStream<Event>.Continuation)
    private let partTaken: Signal
    private let tickTaken: Signal
    private let last = Mutex<Event?>(nil)

    init() {
        let (events, event) = AsyncStream.makeStream(of: Event.self)
        self.events = (events, event)
        let (parts, part) = AsyncStream.makeStream(of: Void.self)
        self.partTaken = (parts, part)
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
        self.tickTaken = (ticks, tick)
    }

    /// Reads a file to its end, as its parts are taken.
    func read(_ body: RequestBody) async {
        do {
            for try await part in body {
                self.events.tell.yield(.part(part))
                guard await Self.next(of: self.partTaken) else { return }
            }
            self.events.tell.yield(.end)
        } catch {
            self.events.tell.yield(.failure(error))
        }
    }

    /// Counts time until the task is cancelled.
    func count(every interval: Duration, of clock: any Clock<Duration>) async {
        while (try? await clock.sleep(for: interval)) != nil {
            self.events.tell.yield(.tick)
            guard await Self.next(of: self.tickTaken) else { return }
        }
    }

    /// Waits for the next event; the former one counts as processed.
    ///
    /// After the end of the file, it returns immediately each time.
    /// - Throws: the error of a broken connection; `CancellationError`.
    func next() async throws -> Event {
        switch self.last.withLock({ $0 }) {
        case .part?: self.partTaken.tell.yield()
        case .tick?: self.tickTaken.tell.yield()
        // No event follows, and a caller that discards the rest must not wait.
        case .end?: return .end
        case .failure?, nil: break
        }
        var iterator = self.events.waits.makeAsyncIterator()
        guard let event = await iterator.next() else { throw CancellationError() }
        self.last.withLock { $0 = event }
        if case .failure(let error) = event { throw error }
        return event
    }

    private static func next(of signal: Signal) async -> Bool {
        var iterator = signal.waits.makeAsyncIterator()
        return await iterator.next() != nil
    }
}
