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
    /// Default: `skip`.
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

    /// Takes the policies; the documented defaults unless told otherwise.
    public init(
        overlap: JobOverlap = .skip,
        misfire: JobMisfire = .once(within: 3600),
        jitterSeconds: Int = 0,
        retries: Int = 0,
        deadlineSeconds: Int = 60
    ) {
        self.overlap = overlap
        self.misfire = misfire
        self.jitterSeconds = jitterSeconds
        self.retries = retries
        self.deadlineSeconds = deadlineSeconds
    }

    /// How many runs of the job may be open at once: going, or waiting for their turn.
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
        min(300, 5 * Double(1 << min(max(0, setbacks - 1), 10)))
    }
}
