// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// What becomes of a transition that nobody carried out on time, because no scheduler ran.
public enum MisfirePolicy: Hashable, Sendable {
    /// It is carried out by itself, unless it is later than so many seconds.
    case late(within: Int)

    case skip

    /// It is carried out together with the next one that is due, as one change: phones see the newest state only.
    case fold

    /// How many seconds late a transition may be and still counts as on time.
    public static let toleranceSeconds = 60

    /// Whether a transition that is so many seconds late is left out.
    func leavesOut(_ lateness: Double) -> Bool {
        switch self {
        case .late(let limit): lateness > Double(max(limit, Self.toleranceSeconds))
        case .skip: lateness > Double(Self.toleranceSeconds)
        case .fold: false
        }
    }

    /// Whether a transition that is so many seconds late joins the next one.
    func folds(_ lateness: Double) -> Bool { self == .fold && lateness > Double(Self.toleranceSeconds) }
}
