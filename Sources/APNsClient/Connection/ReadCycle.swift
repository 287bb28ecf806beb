// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// The outcomes of one burst of input, which are reported together.
struct ReadCycle {
    var accepted = 0
    var rejected = 0
    /// Whether a request was rejected for its own sake, not for the sake of the connection.
    var hasServed = false
    /// Whether APNs asked for a request to be sent elsewhere.
    var isSentAway = false
    private(set) var returned: [RetryTarget] = []
    var isSettlingScheduled = false
    private(set) var times = ResponseTimeHistogram()
    /// The least time that an answer took; very long when there is none.
    private(set) var fastest = TimeAmount.hours(1)
    private var now: NIODeadline?
    private var finished: [(job: SendOperation, count: Int)] = []

    init(isSettlingScheduled: Bool = false) {
        self.isSettlingScheduled = isSettlingScheduled
    }

    /// The state of its connection that follows from the burst.
    var standing: ConnectionHealth {
        if self.accepted > 0 || self.hasServed { return .served }
        return self.isSentAway ? .answered : .silent
    }

    var isEmpty: Bool { self.finished.isEmpty && self.returned.isEmpty }

    /// Takes note of when an answered request was sent; all answers of a burst came at the same time.
    mutating func timed(since sentAt: NIODeadline) {
        let now = self.now ?? .now()
        self.now = now
        self.times.add(nanoseconds: (now - sentAt).nanoseconds)
        self.fastest = min(self.fastest, now - sentAt)
    }

    /// Counts targets of a job as done.
    ///
    /// Answers of one job mostly come in a row.
    mutating func finished(_ count: Int, of job: SendOperation) {
        if let last = self.finished.indices.last, self.finished[last].job === job {
            self.finished[last].count += count
        } else {
            self.finished.append((job, count))
        }
    }

    /// Records the outcome of a request that was not accepted.
    mutating func settle(_ request: InFlightRequest, as outcome: SendOutcome) {
        request.job.record(outcome, at: Int(request.index))
        self.finished(1, of: request.job)
    }

    /// Gives a request back to be sent again; see ``RetryTarget/fallback``.
    mutating func sendAgain(_ request: InFlightRequest, fallback: SendOutcome?) {
        self.sendAgain(Int(request.index), of: request.job, fallback: fallback)
    }

    /// Gives a target back to be sent again; see ``RetryTarget/fallback``.
    mutating func sendAgain(_ index: Int, of job: SendOperation, fallback: SendOutcome?) {
        self.returned.append(RetryTarget(job: job, index: index, fallback: fallback))
    }

    /// Reports the outcomes to their jobs.
    ///
    /// A caller may continue on another thread from here on.
    func report() {
        for (job, count) in self.finished { job.finish(count) }
    }
}
