// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The policy for occurrences when the UTC offset of a time zone changes, for daylight saving or another reason.
///
/// | | ``fixedTime`` | ``interval`` |
/// |---|---|---|
/// | local times that are skipped, when clocks are set forward | once, at the instant of the change | not at all |
/// | local times that occur twice, when clocks are set back | the first time | both times |
///
/// The first is the default of expressions that name times of day, the second that of all others
/// (``CronExpression/isFixedTime``), as in cronie.
public struct DSTPolicy: Hashable, Sendable, Codable {
    /// The policy for local times that are skipped.
    public enum SkippedTime: String, Hashable, Sendable, Codable, CaseIterable {
        /// There is one occurrence at the instant of the change, regardless of the number of skipped ones.
        case runAfter = "run_after"
        /// They do not occur.
        case skip
    }

    /// The policy for local times that occur twice.
    public enum RepeatedTime: String, Hashable, Sendable, Codable, CaseIterable {
        /// They occur the first time.
        case runOnce = "run_once"
        /// They occur both times.
        case runTwice = "run_twice"
    }

    public var skippedTime: SkippedTime
    public var repeatedTime: RepeatedTime

    public init(skippedTime: SkippedTime, repeatedTime: RepeatedTime) {
        self.skippedTime = skippedTime
        self.repeatedTime = repeatedTime
    }

    /// For work that is due once a day or less often: it is neither left out nor done twice.
    public static let fixedTime = DSTPolicy(skippedTime: .runAfter, repeatedTime: .runOnce)

    /// For work at intervals: the interval does not change.
    public static let interval = DSTPolicy(skippedTime: .skip, repeatedTime: .runTwice)
}
