// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The rules for the runs of a job: overlap, missed occurrences, jitter, retries and timeout.
public struct JobPolicy: Hashable, Sendable, Codable {
    /// The valid jitters, in seconds.
    public static let jitters = 0...3600

    /// The valid numbers of retries.
    public static let retryLimits = 0...10

    /// The valid timeouts, in seconds.
    public static let timeouts = 1...86_400

    /// The rule for an occurrence that is due while another run has not ended.
    ///
    /// Default: `skip`; `bufferOne` if the misfire policy runs each missed occurrence.
    public var overlap: OverlapPolicy

    /// The rule for occurrences that were missed because no scheduler ran.
    ///
    /// Default: one run, within an hour.
    public var misfire: JobMisfirePolicy

    /// The maximum delay of a run in seconds, so that many jobs with the same time do not start together.
    ///
    /// The job and the occurrence determine the delay. Default: 0.
    public var jitterSeconds: Int

    /// The number of retries of a failed run, after 5, 10, 20 seconds and so on, up to 5 minutes.
    ///
    /// Default: 0.
    public var maxRetries: Int

    /// The timeout of one attempt of a webhook call or of code.
    ///
    /// Default: 60; the API uses 10 for webhooks.
    public var timeoutSeconds: Int

    public init(
        overlap: OverlapPolicy? = nil,
        misfire: JobMisfirePolicy = .runOnce(within: 3600),
        jitterSeconds: Int = 0,
        maxRetries: Int = 0,
        timeoutSeconds: Int = 60
    ) {
        self.overlap = overlap ?? Self.overlap(beside: misfire)
        self.misfire = misfire
        self.jitterSeconds = jitterSeconds
        self.maxRetries = maxRetries
        self.timeoutSeconds = timeoutSeconds
    }

    /// The default overlap policy for a misfire policy.
    public static func overlap(beside misfire: JobMisfirePolicy) -> OverlapPolicy {
        if case .runAll = misfire { .bufferOne } else { .skip }
    }

    /// Whether the policy runs each missed occurrence, but skips overlapping ones: these rules contradict each other.
    public var isContradictory: Bool {
        if case .runAll = self.misfire { self.overlap == .skip } else { false }
    }

    /// The maximum number of open runs of the job: running, or queued.
    ///
    /// If the policy runs each missed occurrence, all of these can be open.
    var capacity: Int {
        let queue = if case .runAll = self.misfire { JobMisfirePolicy.maximumRuns } else { 1 }
        switch self.overlap {
        case .skip: return 1
        case .bufferOne: return 1 + queue
        case .allow: return max(10, queue)
        }
    }

    /// The delay in seconds after this number of failed attempts.
    func delay(after setbacks: Int) -> Double {
        min(300, 5 * Double(1 << (min(max(1, setbacks), 11) - 1)))
    }
}

/// The policy for an occurrence that is due while another run of the job has not ended.
public enum OverlapPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    case skip

    /// It waits until that has ended; further ones are left out while one waits.
    case bufferOne = "buffer_one"

    /// It runs beside the others, up to ten of them at once; up to a hundred where each missed occurrence is made up
    /// for.
    case allow
}

/// The policy for occurrences of a job that were missed because no scheduler ran.
///
/// An occurrence is missed if it is more than ``toleranceSeconds`` late, in addition to its jitter.
public enum JobMisfirePolicy: Hashable, Sendable, Codable {
    /// One run represents all, unless the latest occurrence is more than this number of seconds late.
    case runOnce(within: Int)

    /// Each gets a run, one after the other, unless it is more than this number of seconds late; at most the latest
    /// 100.
    case runAll(within: Int)

    case skip

    /// How many seconds late an occurrence may be and still counts as on time.
    public static let toleranceSeconds = 60

    /// The limits that may be set, in seconds: a minute to 30 days.
    public static let limits = 60...2_592_000

    /// The most missed occurrences that are made up for one by one.
    public static let maximumRuns = 100

    /// The maximum number of seconds that a run without progress may start late.
    public var limit: Int {
        switch self {
        case .runOnce(let limit), .runAll(let limit): limit
        case .skip: Self.toleranceSeconds
        }
    }
}
