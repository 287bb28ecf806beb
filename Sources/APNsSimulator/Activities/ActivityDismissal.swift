// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// When an ended Live Activity leaves the Lock Screen: ActivityKit's `ActivityUIDismissalPolicy`.
public enum ActivityDismissal: Hashable, Sendable {
    /// When the system likes: after 4 hours.
    case `default`
    /// At once.
    case immediate
    /// At this time, at most 4 hours after the end.
    case after(Date)

    /// Seconds since 1970, at the latest 4 hours after the end.
    func date(endedAt now: Double) -> Double {
        let latest = now + ActivityRecord.maximumAfterEnd
        return switch self {
        case .default: latest
        case .immediate: now
        case .after(let date): min(max(now, date.timeIntervalSince1970), latest)
        }
    }
}
