// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Cron
public import PushModel

/// A recurring task in Swift.
///
///     struct Cleanup: ScheduledJob {
///         var schedule: Schedule { get throws { try .cron("30 2 * * *", timeZone: "Europe/Zurich") } }
///
///         func run(_ context: JobContext) async throws -> JobResult {
///             JobResult(processed: try await deleteOldFiles())
///         }
///     }
///
/// A ``JobRunner`` runs it. Each occurrence runs once, in one of the processes with such a job. If the process is
/// killed during the run, another attempt has the same ``JobContext/run``, so effects outside of the store must be
/// idempotent. the middle is run again, with the same ``JobContext/run``: what it does outside the store has to bear
/// that.
public protocol ScheduledJob: Sendable {
    /// Names the job within its app: 1 to 64 letters, digits, `-`, `_` and `.`.
    ///
    /// Default: the type's name.
    var id: JobID { get }

    /// When it is run.
    var schedule: Schedule { get throws }

    /// How it is run.
    ///
    /// Default: skipped while it is still going, made up for within an hour, a minute for each attempt, no retries.
    var policy: JobPolicy { get }

    /// Makes one attempt at a run.
    ///
    /// The task is cancelled when the deadline is over or another process has taken over.
    /// - Parameter context: what is known of the run, and what it works with.
    /// - Returns: what it came to.
    /// - Throws: whatever makes the attempt fail; its description is kept in the history.
    func run(_ context: JobContext) async throws -> JobResult
}

extension ScheduledJob {
    /// The type's name, without what cannot stand in names.
    public var id: JobID {
        let name = String(String(describing: Self.self).filter { JobID.isValid(String($0)) }.prefix(64))
        return JobID(rawValue: name) ?? "job"
    }

    /// The default policies.
    public var policy: JobPolicy { JobPolicy() }
}

/// The result of an attempt at a run.
public struct JobResult: Hashable, Sendable {
    /// Whether it was done.
    public var isSuccess: Bool

    /// How much was done, as the job counts it.
    public var processed: Int

    /// A text for people, or `nil`; the first 1,000 characters are stored.
    public var message: String?

    /// Creates the result of a successful attempt.
    ///
    /// - Parameters:
    ///   - processed: the amount of work done, as the job counts it.
    ///   - message: a text for people, or `nil`.
    public init(processed: Int = 0, message: String? = nil) {
        self.isSuccess = true
        self.processed = processed
        self.message = message
    }

    /// It could not be done; it is repeated as often as the job's policy says.
    ///
    /// - Parameters:
    ///   - message: why, as a text for people.
    ///   - processed: how much was done nevertheless.
    /// - Returns: the result.
    public static func failure(_ message: String, processed: Int = 0) -> JobResult {
        var result = JobResult(processed: processed, message: message)
        result.isSuccess = false
        return result
    }
}
