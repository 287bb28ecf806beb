// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// The send state of a claimed batch: a pure state machine without a store, a clock or a task.
///
/// Chunks end in any order and are settled at once. A chunk that ends before an earlier one moves the cursor past that
/// one. The targets of the earlier chunk are stored as deferred, because they have no outcome yet, and are settled as
/// deferred targets later.
///
/// One request to the window is made at a time. After a stop, nothing is requested and no chunk is started. The chunks
/// in flight are awaited.
struct BatchProgress {
    /// Why no further chunk of a batch is sent.
    enum Stop: Hashable, Sendable {
        case expired
        case shutdown

        /// All of its circuits are open.
        case paused

        /// A caller paused or cancelled it.
        case halted

        /// The task was cancelled, because the lease is lost or the service stops.
        case cancelled
    }

    /// The result for the claimed targets.
    enum End: Hashable, Sendable {
        /// Every target of the batch has its outcome.
        case settled

        case left

        case stopped(Stop)
    }

    /// The number of targets in a probe of a half-open circuit.
    static let probeTargets = 10

    private let claimed: ClaimedBatch
    private var due: ArraySlice<Deferral>
    private var next: Int
    private var cursor: Int
    private var isAsking = false
    private var stop: Stop?

    private(set) var inFlight = 0

    /// Whether the store has the outcome of every target.
    var isSettled = false

    init(_ claimed: ClaimedBatch) {
        self.claimed = claimed
        self.due = claimed.due[...]
        self.next = claimed.cursor
        self.cursor = claimed.cursor
    }

    var isStopping: Bool { self.stop != nil }

    /// Whether there is something to wait for: a grant of the window, or a chunk in flight.
    var isUnderWay: Bool { self.isAsking || self.inFlight > 0 }

    /// The result; valid when nothing is in flight.
    var end: End { self.isSettled ? .settled : self.stop.map { .stopped($0) } ?? .left }

    /// The environments of the targets that are left, at least.
    var environmentsAhead: Set<APNsEnvironment> {
        let targets = self.claimed.batch.targets
        if self.due.isEmpty { return targets.environments }
        return self.due.reduce(into: []) { $0.insert(targets.environment(at: $1.index)) }
    }

    /// Stops sending; only the first reason counts.
    mutating func stop(for reason: Stop) { self.stop = self.stop ?? reason }

    // MARK: Sending

    var mayAsk: Bool { !self.isAsking && !self.isStopping }

    /// Decides how many targets to request from the window; the caller must pass the grant to ``begin(_:)``.
    ///
    /// `size` is the number of targets of a chunk. A probe is one small chunk, and no other chunk is in flight beside
    /// it. Returns `nil` if nothing is to be requested now.
    mutating func ask(for size: Int, asProbe isProbe: Bool) -> Int? {
        guard self.mayAsk, !isProbe || self.inFlight == 0 else { return nil }
        let wanted = self.available(isProbe ? min(Self.probeTargets, size) : size)
        guard wanted > 0 else { return nil }
        self.isAsking = true
        return wanted
    }

    /// Takes the next chunk when the window has granted capacity.
    ///
    /// `count` is at most the requested number; 0 means that the wait was cancelled. Returns `nil` after a stop.
    mutating func begin(_ count: Int) -> Chunk? {
        self.isAsking = false
        if count == 0 { self.stop(for: .cancelled) }
        return self.isStopping ? nil : self.take(count)
    }

    /// Returns the number of targets of the next chunk, at most `size`; 0 if all are in flight.
    func available(_ size: Int) -> Int {
        let size = max(1, size)
        if !self.due.isEmpty { return min(size, self.due.count) }
        return min(size, self.claimed.batch.targets.count - self.next)
    }

    /// Takes the next chunk of 1 to ``available(_:)`` targets: deferred ones that are due before those never sent.
    mutating func take(_ count: Int) -> Chunk {
        self.inFlight += 1
        if !self.due.isEmpty {
            defer { self.due = self.due.dropFirst(count) }
            return Chunk(part: .due(Array(self.due.prefix(count))))
        }
        defer { self.next += count }
        return Chunk(part: .fresh(self.next..<(self.next + count)))
    }

    /// Records the result of a chunk; the caller must store the settlements in the order of these calls.
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

    /// A target in flight that the cursor passes; if the batch is claimed again, it is sent at once.
    private func overtaken(_ index: Int) -> Deferral { Deferral(index: index, notBefore: Deferral.atOnce) }
}
