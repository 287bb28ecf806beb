// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
