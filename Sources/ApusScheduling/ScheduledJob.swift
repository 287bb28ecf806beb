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
///             JobResult(processedCount: try await deleteOldFiles())
///         }
///     }
///
/// A ``JobRunner`` runs it. Each occurrence runs once, in one of the processes with such a job. If the process is
/// killed during the run, another attempt has the same ``JobContext/run``, so effects outside of the store must be
/// idempotent.
public protocol ScheduledJob: Sendable {
    /// Names the job within its app: 1 to 64 letters, digits, `-`, `_` and `.`.
    ///
    /// Default: the type's name.
    var id: JobID { get }

    /// The schedule.
    var schedule: Schedule { get throws }

    /// The policies for overlapping, missed and failed runs.
    ///
    /// Default: skip overlapping runs, run missed ones within one hour, 60 seconds per attempt, no retries.
    var policy: JobPolicy { get }

    /// Executes one attempt at a run.
    ///
    /// The task is cancelled after the timeout, or when another process claimed the run.
    /// - Parameter context: the data of the run, and its client and logger.
    /// - Returns: the result.
    /// - Throws: any error fails the attempt; its description is stored in the history.
    func run(_ context: JobContext) async throws -> JobResult
}

extension ScheduledJob {
    /// The type's name without characters that are invalid in job names.
    public var id: JobID {
        let name = String(String(describing: Self.self).filter { JobID.isValid(String($0)) }.prefix(64))
        return JobID(rawValue: name) ?? "job"
    }

    /// The default policies.
    public var policy: JobPolicy { JobPolicy() }
}

/// The result of an attempt at a run.
public struct JobResult: Hashable, Sendable {
    /// Whether the attempt succeeded.
    public var isSuccess: Bool

    /// The amount of work done, in the job's own unit.
    public var processedCount: Int

    /// A text for human readers, or `nil`; the first 1,000 characters are stored.
    public var message: String?

    /// Creates the result of a successful attempt.
    ///
    /// - Parameters:
    ///   - processedCount: the amount of work done, in the job's own unit.
    ///   - message: a text for human readers, or `nil`.
    public init(processedCount: Int = 0, message: String? = nil) {
        self.isSuccess = true
        self.processedCount = processedCount
        self.message = message
    }

    /// Creates the result of a failed attempt; the job's policy determines the number of retries.
    ///
    /// - Parameters:
    ///   - message: the reason, as a text for human readers.
    ///   - processedCount: the amount of work done before the failure.
    /// - Returns: the result.
    public static func failure(_ message: String, processedCount: Int = 0) -> JobResult {
        var result = JobResult(processedCount: processedCount, message: message)
        result.isSuccess = false
        return result
    }
}
