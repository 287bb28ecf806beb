// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Synchronization

/// The parsed lines of a stream that are not stored yet, between the task that reads and the one that stores.
final class StreamInputBuffer: Sendable {
    /// An event for the storing task.
    enum Event: Hashable, Sendable {
        /// A chunk has its first line.
        case begun(Int)

        /// A chunk was gathered for long enough.
        case due(Int)

        /// A chunk is full, or nothing more comes.
        case ready
    }

    private struct State {
        var draft: PendingStreamChunk
        var number = 0
        var isEnded = false
        var stop: StreamEndReason?
    }

    /// The events for the one task that stores.
    let events: AsyncStream<Event>

    private let app: App
    private let limits: StreamLimits
    private let tell: AsyncStream<Event>.Continuation
    private let state: Mutex<State>

    init(app: App, firstLine: Int, limits: StreamLimits) {
        self.app = app
        self.limits = limits
        // Three for each chunk at most, and of chunks there are few.
        (self.events, self.tell) = AsyncStream.makeStream()
        self.state = Mutex(State(draft: PendingStreamChunk(app: app, firstLine: firstLine)))
    }

    /// Whether another line may be added now.
    var hasRoom: Bool { self.state.withLock { $0.draft.lines.count < self.limits.maximumChunkLines } }

    /// Whether nothing more is taken.
    var isStopped: Bool { self.state.withLock { $0.stop != nil } }

    /// Why nothing more is taken; `nil` while it is.
    var stopReason: StreamEndReason? { self.state.withLock { $0.stop } }

    func add(_ line: LineBuffer.Line, in bytes: [UInt8]) {
        let event: Event? = self.state.withLock { state in
            guard state.stop == nil else { return nil }
            state.draft.read(line, in: bytes, app: self.app.id, limit: self.limits.maximumLineBytes)
            let count = state.draft.lines.count
            return count >= self.limits.maximumChunkLines ? .ready : count == 1 ? .begun(state.number) : nil
        }
        if let event { self.tell.yield(event) }
    }

    /// A chunk was gathered for long enough.
    func due(_ number: Int) {
        self.tell.yield(.due(number))
    }

    func end() {
        self.state.withLock { $0.isEnded = true }
        self.tell.yield(.ready)
        self.tell.finish()
    }

    /// Accepts no more lines; parsed ones are still stored.
    ///
    /// - Returns: `false` if it was stopped before.
    @discardableResult
    func stop(_ end: StreamEndReason) -> Bool {
        let wasOpen = self.state.withLock { state in
            defer { (state.stop, state.isEnded) = (state.stop ?? end, true) }
            return !state.isEnded
        }
        guard wasOpen else { return false }
        self.tell.yield(.ready)
        self.tell.finish()
        return true
    }

    /// Takes the chunk that is to be stored after an event; `nil` when it is to be gathered further, or is empty.
    func take(after event: Event) -> PendingStreamChunk? {
        self.state.withLock { state in
            let isFull = state.draft.lines.count >= self.limits.maximumChunkLines
            guard isFull || state.isEnded || event == .due(state.number), !state.draft.lines.isEmpty else { return nil }
            let draft = state.draft
            state.draft = PendingStreamChunk(app: self.app, firstLine: draft.numbers.upperBound)
            state.number += 1
            return draft
        }
    }
}
