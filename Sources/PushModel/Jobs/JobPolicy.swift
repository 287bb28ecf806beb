// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How a job is run, whatever it does.
public struct JobPolicy: Hashable, Sendable, Codable {
    /// The jitters that may be set, in seconds.
    public static let jitters = 0...3600

    /// How often a run that failed may be repeated.
    public static let retryLimits = 0...10

    /// The deadlines that may be set, in seconds.
    public static let deadlines = 1...86_400

    /// What becomes of an occurrence that is due while another run has not ended.
    ///
    /// Default: `skip`; `queue` where each missed occurrence is made up for, so that each has its turn.
    public var overlap: JobOverlap

    /// What becomes of occurrences that were missed, since no scheduler ran.
    ///
    /// Default: one run, within an hour.
    public var misfire: JobMisfire

    /// Up to how many seconds a run begins after its time, so that many jobs of one time do not begin at once.
    ///
    /// How many follows from the job and the occurrence. Default: 0.
    public var jitterSeconds: Int

    /// How often a run that failed is repeated, after 5 seconds, 10, 20 and so on, up to 5 minutes.
    ///
    /// Default: 0.
    public var retries: Int

    /// How many seconds one attempt may take; then it has failed.
    ///
    /// Default: 60. It holds for webhooks and jobs in code; what the store does by itself needs none.
    public var deadlineSeconds: Int

    public init(
        overlap: JobOverlap? = nil,
        misfire: JobMisfire = .once(within: 3600),
        jitterSeconds: Int = 0,
        retries: Int = 0,
        deadlineSeconds: Int = 60
    ) {
        self.overlap = overlap ?? Self.overlap(beside: misfire)
        self.misfire = misfire
        self.jitterSeconds = jitterSeconds
        self.retries = retries
        self.deadlineSeconds = deadlineSeconds
    }

    /// What becomes of an occurrence while another run has not ended, where nothing is said of that.
    public static func overlap(beside misfire: JobMisfire) -> JobOverlap {
        if case .each = misfire { .queue } else { .skip }
    }

    /// Whether occurrences that were missed are to be made up for one by one, and would be left out for overlapping.
    public var isContradictory: Bool {
        if case .each = self.misfire { self.overlap == .skip } else { false }
    }

    /// How many runs of the job may be open at once: going, or waiting for their turn.
    ///
    /// Where each missed occurrence is made up for, there is room for all that may be.
    var capacity: Int {
        let queue = if case .each = self.misfire { JobMisfire.maximumEach } else { 1 }
        switch self.overlap {
        case .skip: return 1
        case .queue: return 1 + queue
        case .allow: return max(10, queue)
        }
    }

    /// How many seconds are waited after so many attempts that came to nothing.
    func delay(after setbacks: Int) -> Double {
        min(300, 5 * Double(1 << (min(max(1, setbacks), 11) - 1)))
    }
}

/// What becomes of an occurrence that is due while another run of the job has not ended.
public enum JobOverlap: String, Hashable, Sendable, Codable, CaseIterable {
    case skip

    /// It waits until that has ended; further ones are left out while one waits.
    case queue

    /// It runs beside the others, up to ten of them at once; up to a hundred where each missed occurrence is made up for.
    case allow
}

/// What becomes of the occurrences of a job that were missed, since no scheduler ran.
///
/// An occurrence is missed when it is more than ``toleranceSeconds`` late, beside its jitter.
public enum JobMisfire: Hashable, Sendable, Codable {
    /// They are made up for by one run, unless the newest is later than so many seconds.
    case once(within: Int)

    /// Each is made up for, one after the other, but those that are later than so many seconds; the newest 100 at most.
    case each(within: Int)

    case skip

    /// How many seconds late an occurrence may be and still counts as on time.
    public static let toleranceSeconds = 60

    /// The limits that may be set, in seconds: a minute to 30 days.
    public static let limits = 60...2_592_000

    /// The most missed occurrences that are made up for one by one.
    public static let maximumEach = 100

    /// How many seconds late a run may begin of which nothing was done so far.
    public var limit: Int {
        switch self {
        case .once(let limit), .each(let limit): limit
        case .skip: Self.toleranceSeconds
        }
    }
}
