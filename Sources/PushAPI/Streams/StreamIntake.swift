// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Synchronization

/// What was read of a stream and is not stored yet, between the task that reads and the one that stores.
final class StreamIntake: Sendable {
    /// What the storing task has to know.
    enum Event: Hashable, Sendable {
        /// A chunk has its first line.
        case begun(Int)

        /// A chunk was gathered for long enough.
        case due(Int)

        /// A chunk is full, or nothing more comes.
        case ready
    }

    private struct State {
        var draft: StreamChunkDraft
        var number = 0
        var isEnded = false
        var stop: StreamEnd?
    }

    /// What happened, for the one task that stores.
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
        self.state = Mutex(State(draft: StreamChunkDraft(app: app, firstLine: firstLine)))
    }

    /// Whether another line may be added now.
    var hasRoom: Bool { self.state.withLock { $0.draft.lines.count < self.limits.maximumChunkLines } }

    /// Whether nothing more is taken.
    var isStopped: Bool { self.state.withLock { $0.stop != nil } }

    /// Why nothing more is taken; `nil` while it is.
    var stopReason: StreamEnd? { self.state.withLock { $0.stop } }

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

    /// Nothing more is taken; what was gathered is still stored.
    ///
    /// - Returns: `false` when nothing more came anyway.
    @discardableResult
    func stop(_ end: StreamEnd) -> Bool {
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
    func take(after event: Event) -> StreamChunkDraft? {
        self.state.withLock { state in
            let isFull = state.draft.lines.count >= self.limits.maximumChunkLines
            guard isFull || state.isEnded || event == .due(state.number), !state.draft.lines.isEmpty else { return nil }
            let draft = state.draft
            state.draft = StreamChunkDraft(app: self.app, firstLine: draft.numbers.upperBound)
            state.number += 1
            return draft
        }
    }
}

/// Lines of a stream that are gathered, to be stored together.
struct StreamChunkDraft {
    let firstLine: Int

    /// What became of each line.
    private(set) var lines = StreamLineList()

    /// What the accepted ones want to be sent.
    private(set) var groups: ItemGroups

    init(app: App, firstLine: Int) {
        self.firstLine = firstLine
        self.groups = ItemGroups(app: app)
    }

    var numbers: Range<Int> { self.firstLine..<self.firstLine + self.lines.count }

    mutating func read(_ line: LineBuffer.Line, in bytes: [UInt8], app: AppID, limit: Int) {
        switch line {
        case .overlong: self.refuse(.lineTooLong(limit: limit))
        case .text(let range): self.read(range, of: bytes, app: app)
        }
    }

    private mutating func read(_ range: Range<Int>, of bytes: [UInt8], app: AppID) {
        var cursor = JSONCursor(bytes, in: range)
        guard cursor.peek() != nil else { return self.lines.append(.init(fate: .empty)) }
        if let scan = ItemScan.read(&cursor), cursor.peek() == nil, let place = self.groups.add(scan, of: bytes) {
            self.append(place, name: scan.name.map { bytes[$0] })
        } else {
            self.readStrictly(Array(bytes[range]), app: app)
        }
    }

    /// Reads a line that is unusual or wrong, and says what is wrong with it.
    private mutating func readStrictly(_ bytes: [UInt8], app: AppID) {
        var draft = ItemDraft()
        do {
            let item = try JSONReader.read(bytes, members: ItemDraft.members) {
                (reader, member, path) throws(JSONSyntaxError) in
                try draft.read(member, &reader, path)
            } finish: { reader in
                draft.finish(&reader, app: app)
            }
            self.append(self.groups.add(item), name: item.name)
        } catch {
            self.refuse(error, name: draft.name)
        }
    }

    private mutating func append(_ place: ItemGroups.Place, name: ArraySlice<UInt8>?) {
        let fate = StreamLineList.Fate.accepted(ordinal: place.ordinal, index: place.index)
        self.lines.append(.init(name: name ?? [], fate: fate))
    }

    private mutating func refuse(_ problem: Problem, name: ArraySlice<UInt8>? = nil) {
        self.lines.append(.init(name: name ?? [], fate: .refused(problem.lineJSON[...])))
    }
}
