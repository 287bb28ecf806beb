// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// When a transition is to happen.
public enum TransitionTime: Hashable, Sendable {
    /// At that time.
    case at(Date)

    /// So many seconds after a named instant of the activity's data; a negative number is before it.
    ///
    /// It moves with the instant, and waits while there is none of that name.
    case relative(to: InstantName, seconds: Int)

    /// When that is, by an activity's instants; `nil` when the instant is not known.
    public func date(in instants: [InstantName: Date]) -> Date? {
        switch self {
        case .at(let date): date
        case .relative(let name, let seconds): instants[name]?.addingTimeInterval(Double(seconds))
        }
    }
}
