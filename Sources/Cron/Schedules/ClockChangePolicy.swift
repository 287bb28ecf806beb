// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What becomes of occurrences when the clocks of a zone are set, for daylight saving or another reason.
///
/// | | ``fixedTime`` | ``interval`` |
/// |---|---|---|
/// | times that clocks skip, as they are set forward | once, at the instant at which they are set | not at all |
/// | times that clocks show twice, as they are set back | the first time | both times |
///
/// The first is the default of expressions that name times of the day, the second that of all others
/// (``CronExpression/isFixedTime``), as in cronie.
public struct ClockChangePolicy: Hashable, Sendable, Codable {
    /// What becomes of times that clocks skip.
    public enum Skipped: String, Hashable, Sendable, Codable, CaseIterable {
        /// However many are skipped at once, there is one occurrence at the instant at which clocks are set forward.
        case afterwards
        /// They do not occur.
        case omitted
    }

    /// What becomes of times that clocks show twice.
    public enum Repeated: String, Hashable, Sendable, Codable, CaseIterable {
        /// They occur the first time.
        case once
        /// They occur both times.
        case twice
    }

    public var skipped: Skipped
    public var repeated: Repeated

    public init(skipped: Skipped, repeated: Repeated) {
        self.skipped = skipped
        self.repeated = repeated
    }

    /// For work that is due once a day or less often: it is neither left out nor done twice.
    public static let fixedTime = ClockChangePolicy(skipped: .afterwards, repeated: .once)

    /// For work that is due every so often: the pace stays what it is.
    public static let interval = ClockChangePolicy(skipped: .omitted, repeated: .twice)
}
