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

    /// The memory of a line beside its own bytes: its headers, its status, and the description of its fault.
    private static let lineOverhead = 256

    private struct State {
        var draft: PendingStreamChunk
        /// The chunks that are being stored.
        var storing = 0
        var number = 0
        var isEnded = false
        var stop: StreamEndReason?
    }

    /// The events for the one task that stores.
    let events: AsyncStream<Event>

    private let app: App
    private let limits: StreamLimits
    private let memory: BodyMemory.Share
    private let tell: AsyncStream<Event>.Continuation
    private let state: Mutex<State>

    init(app: App, firstLine: Int, limits: StreamLimits, memory: BodyMemory.Share) {
        self.memory = memory
        self.app = app
        self.limits = limits
        // Three for each chunk at most, and of chunks there are few.
        (self.events, self.tell) = AsyncStream.makeStream()
        self.state = Mutex(State(draft: PendingStreamChunk(app: app, firstLine: firstLine)))
    }

    /// Whether another line may be added now.
    var hasRoom: Bool { self.state.withLock { !self.isFull($0.draft) } }

    /// Whether lines wait to be stored, or are being stored.
    var hasLines: Bool { self.state.withLock { $0.storing > 0 || !$0.draft.lines.isEmpty } }

    private func isFull(_ chunk: PendingStreamChunk) -> Bool {
        chunk.lines.count >= self.limits.maximumChunkLines || chunk.reservedBytes >= self.limits.maximumChunkBytes
    }

    /// Whether nothing more is taken.
    var isStopped: Bool { self.state.withLock { $0.stop != nil } }

    /// Why nothing more is taken; `nil` while it is.
    var stopReason: StreamEndReason? { self.state.withLock { $0.stop } }

    /// Reserves memory for a line that is added next.
    ///
    /// - Returns: `false` if there is none.
    func reserve(_ line: LineBuffer.Line) -> Bool {
        let bytes = Self.bytes(of: line)
        if self.memory.take(bytes) { return true }
        self.memory.giveBack(bytes)
        return false
    }

    private static func bytes(of line: LineBuffer.Line) -> Int {
        if case .text(let range) = line { range.count + self.lineOverhead } else { self.lineOverhead }
    }

    /// Adds a line, for which memory is reserved.
    func add(_ line: LineBuffer.Line, in bytes: [UInt8]) {
        let event: Event? = self.state.withLock { state in
            state.draft.reservedBytes += Self.bytes(of: line)
            guard state.stop == nil else { return nil }
            state.draft.read(line, in: bytes, app: self.app.id, limit: self.limits.maximumLineBytes)
            return self.isFull(state.draft) ? .ready : state.draft.lines.count == 1 ? .begun(state.number) : nil
        }
        if let event { self.tell.yield(event) }
    }

    /// Gives the memory of a chunk back, whether it could be stored or not.
    func stored(_ chunk: PendingStreamChunk) {
        self.state.withLock { $0.storing -= 1 }
        self.memory.giveBack(chunk.reservedBytes)
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
            guard self.isFull(state.draft) || state.isEnded || event == .due(state.number), !state.draft.lines.isEmpty
            else { return nil }
            let draft = state.draft
            state.draft = PendingStreamChunk(app: self.app, firstLine: draft.numbers.upperBound)
            state.number += 1
            state.storing += 1
            return draft
        }
    }
}
