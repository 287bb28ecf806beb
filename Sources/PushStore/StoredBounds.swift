// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// Checks of values that were decoded from JSON of the database: code that calculates with their numbers and times
/// expects that nothing overflows.
extension StoredLimit {
    static func holds(_ number: Int?) -> Bool { number.map { self.numbers.contains($0) } ?? true }

    static func holdsSum(_ count: Int?) -> Bool { count.map { self.sums.contains($0) } ?? true }

    /// A time that is not a number is none.
    static func holds(_ time: Date?) -> Bool {
        time.map { $0.timeIntervalSince1970.magnitude <= Double(self.numbers.upperBound) / 1000 } ?? true
    }

    static func holds(_ start: LocalStart) -> Bool {
        self.holds(Date(timeIntervalSince1970: Double(start.time.secondsAsUTC)))
    }

    /// A rate limit is divided by.
    static func holdsRate(_ rate: Int?) -> Bool { rate.map { $0 > 0 && self.sums.contains($0) } ?? true }

    /// The time in an id has 48 bits, and a later id is drawn behind this one.
    static func holds(_ batch: BatchID?) -> Bool { batch.map { $0.value.high >> 63 == 0 } ?? true }
}

extension Priority {
    /// PostgreSQL keeps a priority in 16 bits.
    var isStorable: Bool { (0...Int(Int16.max)).contains(self.rawValue) }
}

extension Campaign {
    var isWithinLimits: Bool {
        StoredLimit.holds(self.createdAt) && StoredLimit.holds(self.expiresAt)
            && StoredLimit.holdsRate(self.ratePerSecond) && StoredLimit.holds(self.message.timeToLive)
            && self.start.isWithinLimits && self.tokenValidation?.isWithinLimits ?? true
    }
}

extension CampaignStart {
    fileprivate var isWithinLimits: Bool {
        switch self {
        case .now: true
        case .at(let time): StoredLimit.holds(time)
        case .local(let start): StoredLimit.holds(start)
        }
    }
}

extension TokenValidation {
    fileprivate var isWithinLimits: Bool {
        StoredLimit.holdsSum(self.durationSeconds) && StoredLimit.holdsSum(self.devices)
    }
}

extension CampaignFanOut {
    var isWithinLimits: Bool {
        let counts: [Int?] = [self.revision, self.planned, self.nextOrdinal, self.expected]
        return counts.allSatisfy { StoredLimit.holdsSum($0) } && StoredLimit.holds(self.paceAt)
            && StoredLimit.holds(self.lastBatch) && self.waves.allSatisfy { StoredLimit.holds($0.due) }
            && self.recheck?.isWithinLimits ?? true
    }
}

extension EnvironmentRecheck {
    fileprivate var isWithinLimits: Bool {
        StoredLimit.holdsSum(self.planned) && StoredLimit.holdsSum(self.fixed)
            && StoredLimit.holdsSum(self.first?.total) && StoredLimit.holds(self.lastBatch)
    }
}

extension RolloutProgress {
    var isWithinLimits: Bool {
        let counts: [Int?] = [
            self.revision, self.expected, self.nextOrdinal, self.counts.startsSent, self.counts.withoutToken,
            self.counts.alreadyParticipating, self.counts.otherEnvironment,
        ]
        return counts.allSatisfy { StoredLimit.holdsSum($0) } && StoredLimit.holds(self.paceAt)
            && StoredLimit.holds(self.endedAt) && StoredLimit.holds(self.lastBatch)
    }
}

extension JobDefinition {
    var isWithinLimits: Bool {
        let numbers = [
            self.policy.jitterSeconds, self.policy.maxRetries, self.policy.timeoutSeconds, self.policy.misfire.limit,
        ]
        guard numbers.allSatisfy({ StoredLimit.counts.contains($0) }) else { return false }
        switch self.work {
        case .campaign(let work): return work.isWithinLimits
        case .activities(let work): return work.isWithinLimits
        case .webhook, .code: return true
        }
    }
}

extension JobCampaign {
    fileprivate var isWithinLimits: Bool {
        if case .local(let start) = self.start, !StoredLimit.holds(start) { return false }
        return StoredLimit.holdsRate(self.ratePerSecond) && StoredLimit.holdsSum(self.lifetimeSeconds)
            && StoredLimit.holds(self.message.timeToLive) && self.tokenValidation?.isWithinLimits ?? true
    }
}

extension JobActivities {
    fileprivate var isWithinLimits: Bool {
        StoredLimit.holds(self.window?.fromSeconds) && StoredLimit.holds(self.window?.untilSeconds)
            && self.change.isWithinLimits
    }
}

extension ActivityChange {
    var isWithinLimits: Bool {
        let isStaleDate =
            switch self.staleDate {
            case nil, .never?: true
            case .at(let date)?: StoredLimit.holds(date)
            case .after(let seconds)?: StoredLimit.holds(seconds)
            }
        let isEnd =
            switch self.end {
            case nil, .standard?, .immediate?: true
            case .at(let date)?: StoredLimit.holds(date)
            case .after(let seconds)?: StoredLimit.holds(seconds)
            }
        let limits = self.budget.map { [$0.limits.hourly, $0.limits.frequentHourly] } ?? []
        return isStaleDate && isEnd && self.priority.isStorable
            && limits.allSatisfy { PushBudget.Limits.range.contains($0) }
            && self.instants.values.allSatisfy { StoredLimit.holds($0) }
    }
}

extension TransitionTime {
    var isWithinLimits: Bool {
        switch self {
        case .at(let date): StoredLimit.holds(date)
        case .relative(_, let seconds): StoredLimit.holds(seconds)
        }
    }
}
