// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Hummingbird
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Measures the rate of campaigns, from the progress that this process has seen in the last seconds.
final class SendRateEstimator: Sendable {
    private struct Sample {
        let time: Date
        let settled: Int
    }

    /// How many seconds count.
    private static let span: TimeInterval = 10

    /// How many campaigns are kept in mind.
    private static let capacity = 1000

    private let samples = Mutex<[CampaignID: [Sample]]>([:])

    /// Takes note of how far a campaign has come.
    ///
    /// - Returns: how many outcomes there were in a second, since it was looked at before where that is longer ago than
    ///   the seconds that count; `nil` when it was never looked at.
    func perSecond(_ status: CampaignStatus, now: Date) -> Double? {
        let sample = Sample(time: now, settled: status.counts.worked)
        return self.samples.withLock { all in
            let known = all[status.campaign.id, default: []]
            var samples = known.filter { now.timeIntervalSince($0.time) <= Self.span }
            let first = samples.first ?? known.last
            if samples.last.map({ now.timeIntervalSince($0.time) >= 0.2 }) ?? true { samples.append(sample) }
            if all.count >= Self.capacity {
                all = all.filter { ($0.value.last?.time).map { now.timeIntervalSince($0) <= Self.span } ?? false }
            }
            if all.count < Self.capacity { all[status.campaign.id] = samples }
            guard let first, case let seconds = now.timeIntervalSince(first.time), seconds >= 0.5 else { return nil }
            return (Double(sample.settled) - Double(first.settled)) / seconds
        }
    }
}
