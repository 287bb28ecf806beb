// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where a campaign stood when it last began to run: by it anybody can say how fast it goes who looks for the first time.
public struct CampaignStretch: Hashable, Sendable {
    /// When it began, or was resumed last, to the millisecond.
    public let since: Date

    /// How many targets had come to their outcome by work by then; see ``OutcomeCounts/worked``.
    public let settled: Int

    /// Takes since when a campaign runs, and how many targets had their outcome by then.
    public init(since: Date, settled: Int) {
        self.since = Date(millisecondsSince1970: since.millisecondsSince1970)
        self.settled = settled
    }

    /// How many outcomes there were in a second on average since then; `nil` while there were none.
    public func perSecond(settled: Int, now: Date) -> Double? {
        let seconds = now.timeIntervalSince(self.since)
        guard settled > self.settled, seconds > 0 else { return nil }
        return Double(settled - self.settled) / seconds
    }
}
