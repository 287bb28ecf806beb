// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// The policy for a transition that was not executed on time, because no scheduler ran.
public enum MisfirePolicy: Hashable, Sendable {
    /// It is executed separately, unless it is more than this number of seconds late.
    case late(within: Int)

    case skip

    /// It is combined with the next due transition into one change: devices receive only the latest state.
    case fold

    /// How many seconds late a transition may be and still counts as on time.
    public static let toleranceSeconds = 60

    /// Whether a transition that is this number of seconds late is skipped.
    func leavesOut(_ lateness: Double) -> Bool {
        switch self {
        case .late(let limit): lateness > Double(max(limit, Self.toleranceSeconds))
        case .skip: lateness > Double(Self.toleranceSeconds)
        case .fold: false
        }
    }

    /// Whether a transition that is this number of seconds late is combined with the next one.
    func folds(_ lateness: Double) -> Bool { self == .fold && lateness > Double(Self.toleranceSeconds) }
}
