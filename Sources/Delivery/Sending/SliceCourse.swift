// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// Decides what of a claimed batch is sent next, and when nothing more is: a value without a store, a clock or a task.
///
/// One part of the window is asked for at a time. Once there is a reason to stop, nothing is asked for and nothing is begun;
/// what is on its way is waited for.
struct SliceCourse {
    /// Why nothing more of a batch is sent.
    enum Stop: Hashable, Sendable {
        /// Its time is over.
        case expired

        /// The service is shutting down.
        case shutdown

        /// Where all of it goes, sending is paused.
        case paused

        /// It was paused or called off by someone.
        case halted

        /// Whoever sends it was called off: the lease is lost, or the service is.
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

    /// How many targets make up a slice to a line of which nobody knows whether it serves.
    static let probeTargets = 10

    private var progress: BatchProgress
    private var isAsking = false
    private var stop: Stop?

    /// Whether the store has an outcome of every target.
    var isSettled = false

    /// The course of a batch of which nothing is on its way.
    init(_ claimed: ClaimedBatch) {
        self.progress = BatchProgress(claimed)
    }

    /// Whether what the client has not sent is to come back.
    var isStopping: Bool { self.stop != nil }

    /// Whether something is to be waited for: an answer of the window, or a slice on its way.
    var isUnderWay: Bool { self.isAsking || self.progress.inFlight > 0 }

    /// What came of it, once nothing is under way any more.
    var end: End {
        if self.isSettled { return .settled }
        return self.stop.map { .stopped($0) } ?? .left
    }

    var environmentsAhead: Set<APNsEnvironment> { self.progress.environmentsAhead }

    /// There is a reason to stop; the first one counts.
    mutating func stop(for reason: Stop) {
        self.stop = self.stop ?? reason
    }

    // MARK: Asking

    /// Whether a part of the window may be asked for now.
    var mayAsk: Bool { !self.isAsking && !self.isStopping }

    /// Decides how much of the window to ask for; ``begin(_:)`` has to follow with the answer.
    ///
    /// `size` is the number of targets of a slice. A probe is one small slice that finds out whether the line serves;
    /// no other slice is on its way meanwhile.
    /// - Returns: how many targets; `nil` when nothing is to be asked for now.
    mutating func ask(for size: Int, asProbe isProbe: Bool) -> Int? {
        guard self.mayAsk, !isProbe || self.progress.inFlight == 0 else { return nil }
        let wanted = self.progress.available(isProbe ? min(Self.probeTargets, size) : size)
        guard wanted > 0 else { return nil }
        self.isAsking = true
        return wanted
    }

    /// The window has answered.
    ///
    /// `count` is at most the number of targets that were asked for; 0 means that the wait was cancelled.
    /// - Returns: the slice to send; `nil` when there is a reason to stop by now.
    mutating func begin(_ count: Int) -> Slice? {
        self.isAsking = false
        if count == 0 { self.stop(for: .cancelled) }
        return self.isStopping ? nil : self.progress.take(count)
    }

    // MARK: Settling

    /// A slice has its result; see ``BatchProgress/settle(_:)``.
    mutating func settle(_ result: SliceResult) -> Settlement { self.progress.settle(result) }
}

/// What became of a slice: each of its targets was delivered, failed or is deferred.
struct SliceResult: Sendable {
    let slice: Slice

    /// The targets that came to anything but `delivered`.
    var failures: [Settlement.Failure] = []

    /// The targets that have no outcome and are sent to later, in any order.
    var deferrals: [Deferral] = []
}
