// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// When something recurs, in the language of cron: `0 9 * * MON-FRI`, `*/15 * * * * *`, `@daily`.
///
/// Five fields are minute, hour, day of the month, month and day of the week; a sixth in front is the second, which is 0
/// without it. An expression names times on the wall; a ``CronSchedule`` says where the wall is. Its language is that of
/// cronie, with `L`, `W` and `#` of Quartz; days of the week are those of cron: 0 and 7 are Sunday.
///
/// Two are equal when they are written alike, apart from case and spaces.
public struct CronExpression: Hashable, Sendable, CustomStringConvertible {
    /// Its text, in upper case and with single spaces; macros in lower case.
    public let description: String

    /// Whether it names times of the day, rather than how often something recurs in the course of one.
    ///
    /// It does if its second, minute and hour neither begin with `*` nor go on in steps without an end, as `0/15` does:
    /// `30 2 * * *` is a fixed time, `30 * * * *` and `*/10 2 * * *` are not. When clocks are set the two fare differently:
    /// see ``ClockChangePolicy``.
    public let isFixedTime: Bool

    /// The times on the wall.
    let pattern: WallPattern

    init(description: String, isFixedTime: Bool, pattern: WallPattern) {
        self.description = description
        self.isFixedTime = isFixedTime
        self.pattern = pattern
    }
}
