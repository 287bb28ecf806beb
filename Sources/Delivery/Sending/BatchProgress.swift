// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// What of a claimed batch is on its way, what is sent next, and when nothing more is: a value without a store, a clock or a task.
///
/// Chunks end in any order and are settled at once. One that ends before an earlier one moves the cursor over that: its targets
/// are deferred, so that the store knows that they have no outcome, and settled as such when they have one.
///
/// One part of the window is asked for at a time. Once there is a reason to stop, nothing is asked for and nothing is begun;
/// what is on its way is waited for.
struct BatchProgress {
    /// Why nothing more of a batch is sent.
    enum Stop: Hashable, Sendable {
        /// Its time is over.
        case expired

        /// The service is shutting down.
        case shutdown

        /// Where all of it goes, sending is paused.
        case paused

        /// A caller paused or cancelled it.
        case halted

        /// The task was cancelled: the lease is lost, or the service stops.
        case cancelled
    }

    /// What became of the targets that the claim is for.
    enum End: Hashable, Sendable {
        /// Every target of the batch has its outcome.
        case settled

        /// Some are deferred.
        case left

        /// Not all were sent to.
        case stopped(Stop)
    }

    /// The number of targets in a probe of an unproven line.
    static let probeTargets = 10

    private let claimed: ClaimedBatch
    private var due: ArraySlice<Deferral>
    private var next: Int
    private var cursor: Int
    private var isAsking = false
    private var stop: Stop?

    /// How many chunks are being sent.
    private(set) var inFlight = 0

    /// Whether the store has an outcome of every target.
    var isSettled = false

    /// A batch of which nothing is on its way.
    init(_ claimed: ClaimedBatch) {
        self.claimed = claimed
        self.due = claimed.due[...]
        self.next = claimed.cursor
        self.cursor = claimed.cursor
    }

    /// Whether what the client has not sent is to come back.
    var isStopping: Bool { self.stop != nil }

    /// Whether something is to be waited for: an answer of the window, or a chunk on its way.
    var isUnderWay: Bool { self.isAsking || self.inFlight > 0 }

    /// What came of it, once nothing is under way any more.
    var end: End {
        if self.isSettled { return .settled }
        return self.stop.map { .stopped($0) } ?? .left
    }

    /// The environments of the targets from which the next chunk is taken, perhaps with some others.
    var environmentsAhead: Set<APNsEnvironment> {
        let targets = self.claimed.batch.targets
        if self.due.isEmpty { return targets.environments }
        return self.due.reduce(into: []) { $0.insert(targets.environment(at: $1.index)) }
    }

    /// There is a reason to stop; the first one counts.
    mutating func stop(for reason: Stop) { self.stop = self.stop ?? reason }

    // MARK: Sending

    /// Whether a part of the window may be asked for now.
    var mayAsk: Bool { !self.isAsking && !self.isStopping }

    /// Decides how much of the window to ask for; ``begin(_:)`` has to follow with the answer.
    ///
    /// `size` is the number of targets of a chunk. A probe is one small chunk that finds out whether the line serves;
    /// no other chunk is on its way meanwhile.
    /// - Returns: how many targets; `nil` when nothing is to be asked for now.
    mutating func ask(for size: Int, asProbe isProbe: Bool) -> Int? {
        guard self.mayAsk, !isProbe || self.inFlight == 0 else { return nil }
        let wanted = self.available(isProbe ? min(Self.probeTargets, size) : size)
        guard wanted > 0 else { return nil }
        self.isAsking = true
        return wanted
    }

    /// The window has answered.
    ///
    /// `count` is at most the number of targets that were asked for; 0 means that the wait was cancelled.
    /// - Returns: the chunk to send; `nil` when there is a reason to stop by now.
    mutating func begin(_ count: Int) -> Chunk? {
        self.isAsking = false
        if count == 0 { self.stop(for: .cancelled) }
        return self.isStopping ? nil : self.take(count)
    }

    /// How many targets may make up the next chunk, at most `size`; 0 when all are on their way.
    func available(_ size: Int) -> Int {
        let size = max(1, size)
        if !self.due.isEmpty { return min(size, self.due.count) }
        return min(size, self.claimed.batch.targets.count - self.next)
    }

    /// Takes the next chunk: targets that are due again before those that were never sent to.
    ///
    /// `count` is 1 to the result of ``available(_:)``.
    mutating func take(_ count: Int) -> Chunk {
        self.inFlight += 1
        if !self.due.isEmpty {
            defer { self.due = self.due.dropFirst(count) }
            return Chunk(part: .due(Array(self.due.prefix(count))))
        }
        defer { self.next += count }
        return Chunk(part: .fresh(self.next..<(self.next + count)))
    }

    /// A chunk has its result.
    ///
    /// Results have to be settled in the order in which they are handed in here.
    /// - Returns: how to settle it.
    mutating func settle(_ result: ChunkResult) -> Settlement {
        self.inFlight -= 1
        var deferrals = result.deferrals
        var resent: [Deferral] = []
        var range = 0..<0
        switch result.chunk.part {
        case .due(let due): resent = due
        case .fresh(let own) where own.upperBound <= self.cursor: resent = own.map(self.overtaken)
        case .fresh(let own):
            deferrals += (self.cursor..<own.lowerBound).map(self.overtaken)
            range = self.cursor..<own.upperBound
            self.cursor = own.upperBound
        }
        return Settlement(
            of: self.claimed,
            range: range,
            resent: resent,
            failures: result.failures,
            deferrals: deferrals.sorted { $0.index < $1.index }
        )
    }

    /// A target on its way that the cursor passes over; whoever claims the batch next sends to it at once.
    private func overtaken(_ index: Int) -> Deferral {
        Deferral(index: index, notBefore: Deferral.atOnce)
    }
}
