// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What becomes of the occurrences of a job that were missed, since no scheduler ran.
///
/// An occurrence is missed when it is more than ``toleranceSeconds`` late, beside its jitter.
public enum JobMisfire: Hashable, Sendable, Codable {
    /// They are made up for by one run, unless the newest is later than so many seconds.
    case once(within: Int)

    /// Each is made up for, one after the other, but those that are later than so many seconds; the newest 100 at most.
    case each(within: Int)

    /// They are left out.
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
