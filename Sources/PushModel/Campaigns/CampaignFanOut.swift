// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import WallTime

/// The fan-out state of a campaign.
///
/// A pure state machine: the caller passes the current time. Each wave reads the devices of its time zones in their
/// order, up to the last device that existed when the fan-out began. One transaction stores the plan and the batches of
/// the devices that were read, so a crash of the process neither loses nor repeats devices.
public struct CampaignFanOut: Hashable, Sendable, Codable {
    /// Devices that are sent to from the same instant on.
    public struct Wave: Hashable, Sendable, Codable {
        public let due: Date
        public let zones: TimeZoneFilter

        /// The place of the last device that was read.
        public internal(set) var place: Int64

        public internal(set) var isDone: Bool

        public init(due: Date, zones: TimeZoneFilter, isDone: Bool = false) {
            self.due = due
            self.zones = zones
            self.place = 0
            self.isDone = isDone
        }
    }

    /// How often the plan was stored; each step adds one.
    public internal(set) var revision: Int

    /// The waves, the earliest first.
    public internal(set) var waves: [Wave]

    /// The place of the last device that existed when the fan-out began; later devices are not sent to.
    public let lastPlace: Int64

    /// The number of devices in the audience; `nil` until they are counted.
    public internal(set) var expected: Int?

    public internal(set) var planned: Int
    public internal(set) var nextOrdinal: Int

    /// The last batch that was created; the next batches have greater IDs.
    public internal(set) var lastBatch: BatchID?

    /// When the next page of a rate-limited campaign may be sent; `nil` before the first page.
    public internal(set) var paceAt: Date?

    /// The steps of a token validation after its waves; `nil` for other campaigns.
    public internal(set) var recheck: EnvironmentRecheck?

    public init(waves: [Wave], lastPlace: Int64, expected: Int? = nil, isTokenValidation: Bool = false) {
        self.revision = 1
        self.waves = waves.sorted { $0.due < $1.due }
        self.lastPlace = lastPlace
        self.expected = expected
        self.planned = 0
        self.nextOrdinal = 0
        self.recheck = isTokenValidation ? EnvironmentRecheck() : nil
    }

    /// Whether a batch was created for every device.
    public var isRead: Bool { self.waves.allSatisfy(\.isDone) }

    /// Whether the fan-out is complete: every device has a batch, and a token validation has evaluated the outcomes.
    public var isDone: Bool { self.isRead && (self.recheck.map { $0.phase == .completed } ?? true) }

    /// Whether the next step needs all outcomes: a token validation evaluates them, and then continues.
    public var isWaitingForOutcomes: Bool {
        guard self.isRead, let recheck else { return self.isRead }
        return switch recheck.phase {
        case .checking, .settling, .completed: true
        case .checkingOtherEnvironment, .fixing: false
        }
    }

    /// The number of targets of its batches; a token that a token validation tries in both environments counts twice.
    public var plannedTargets: Int { self.planned.addingClamping(self.recheck?.planned ?? 0) }

    /// The wave that is being planned, or is due next; `nil` when all are planned.
    public var currentWave: Int? { self.waves.firstIndex { !$0.isDone } }

    public func counting(_ expected: Int) -> CampaignFanOut {
        var plan = self
        plan.revision.add(clamping: 1)
        plan.expected = expected
        return plan
    }
}

/// The targets of a campaign that are in batches and have no outcome.
public struct CampaignBacklog: Hashable, Sendable {
    public var targets: Int

    /// The number of them whose batches were due a while ago and are not claimed.
    public var overdue: Int

    public init(targets: Int = 0, overdue: Int = 0) {
        self.targets = targets
        self.overdue = overdue
    }
}

extension CampaignFanOut {
    /// The next devices to read.
    public struct Order: Hashable, Sendable {
        public let wave: Int
        public let zones: TimeZoneFilter

        /// The place after which to begin.
        public let after: Int64

        /// The last place.
        public let through: Int64

        public let limit: Int

        /// When their batches may be sent; `nil` means immediately.
        public let sendAt: Date?
    }

    /// The next step.
    public enum Step: Hashable, Sendable {
        case read(Order)
        case wait(until: Date)

        /// Do nothing until some targets have their outcomes.
        case waitForRoom

        /// Evaluate the outcomes of all targets, and continue the token validation with the result.
        case review

        /// Read these failures, and create batches that try their invalid tokens in the other environment.
        case recheck(RecheckOrder)

        /// Fix the devices of some batches after this one, or after the first phase.
        case fix(after: BatchID?)

        /// Nothing: the fan-out is complete.
        case done
    }

    public func next(now: Date, pace: FanOutLimits, backlog: CampaignBacklog) -> Step {
        guard let due = self.waves.lazy.filter({ !$0.isDone }).map(\.due).min() else {
            return self.nextOfTokenValidation(now: now, pace: pace, backlog: backlog)
        }
        guard due <= now, let wave = self.waves.firstIndex(where: { !$0.isDone && $0.due <= now }) else {
            return .wait(until: due)
        }
        let limit = pace.limit
        return self.whenThereIsRoom(now: now, pace: pace, backlog: backlog) { sendAt in
            .read(
                Order(
                    wave: wave,
                    zones: self.waves[wave].zones,
                    after: self.waves[wave].place,
                    through: self.lastPlace,
                    limit: limit,
                    sendAt: sendAt
                )
            )
        }
    }

    /// Decides whether more batches may be created now, and when they are sent.
    func whenThereIsRoom(
        now: Date,
        pace: FanOutLimits,
        backlog: CampaignBacklog,
        _ step: (Date?) -> Step
    ) -> Step {
        var sendAt: Date?
        if let ratePerSecond = pace.ratePerSecond {
            // After an outage, overdue targets are sent first: they and the new ones share the rate.
            let earliest = now.addingTimeInterval(Double(backlog.overdue) / ratePerSecond)
            let turn = max(self.paceAt ?? earliest, earliest)
            let planAt = turn.addingTimeInterval(-(pace.lead / .seconds(1)))
            guard planAt <= now else { return .wait(until: planAt) }
            sendAt = turn
        }
        let targets = backlog.targets.addingClamping(pace.limit)
        guard backlog.targets == 0 || targets <= pace.lookahead else { return .waitForRoom }
        return step(sendAt)
    }

    /// Creates the batches of the devices that were read, and the plan after this step.
    ///
    /// The members are in their order. If there are fewer than requested, the wave is complete.
    ///
    /// - Throws: `InvalidValueError` when the campaign's message cannot be sent for its app.
    public func planning(
        _ members: [AudienceDevice],
        of order: Order,
        for campaign: Campaign,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws -> FanOutStep {
        var plan = self
        plan.revision.add(clamping: 1)
        plan.waves[order.wave].place = members.last?.place ?? order.through
        plan.waves[order.wave].isDone = members.count < order.limit
        plan.planned.add(clamping: members.count)
        if plan.isRead { plan.expected = plan.planned }
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let headers = try campaign.message.headers(for: campaign.app, sentAt: order.sendAt ?? now)
        let parts = campaign.message.compose(members)
        let sent = parts.reduce(0) { $0 + ($1.failure == nil ? $1.targets.count : 0) }
        if let rate = campaign.rate, let sendAt = order.sendAt {
            plan.paceAt = sendAt.addingTimeInterval(Double(sent) / rate)
        }
        let batches = zip(plan.drawIDs(parts.count, now: now, using: &generator), parts).map { id, part in
            defer { plan.nextOrdinal.add(clamping: 1) }
            let batch = Batch(
                id: id,
                notification: campaign.id.notification,
                ordinal: plan.nextOrdinal,
                app: campaign.app,
                lane: .bulk,
                headers: headers,
                payload: part.payload,
                targets: part.targets,
                createdAt: now,
                expiresAt: campaign.expiresAt
            )
            return ScheduledBatch(batch: batch, sendAt: order.sendAt, failure: part.failure)
        }
        return FanOutStep(campaign: campaign.id, plan: plan, batches: batches)
    }

    /// Returns ascending IDs, greater than those of all earlier batches: the order of failures depends on it.
    mutating func drawIDs(
        _ count: Int,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) -> [BatchID] {
        let ids = BatchID.draw(count, after: self.lastBatch, now: now, using: &generator)
        self.lastBatch = ids.last ?? self.lastBatch
        return ids
    }
}

/// A batch of a campaign, and when it is sent.
public struct ScheduledBatch: Hashable, Sendable {
    public let batch: Batch

    /// The time before which no worker claims it; `nil` means that it is sent immediately.
    public let sendAt: Date?

    /// Why the batch is not sent; `nil` if it is sent.
    public let failure: FailureCode?

    public init(batch: Batch, sendAt: Date? = nil, failure: FailureCode? = nil) {
        self.batch = batch
        self.sendAt = sendAt
        self.failure = failure
    }

    /// The batch's lifecycle when it is stored.
    public var lifecycle: BatchLifecycle {
        let state: BatchState =
            if let failure { .failed(failure) } else if let sendAt { .waiting(until: sendAt) } else { .pending }
        return BatchLifecycle(state: state, targetCount: self.batch.targets.count, expiresAt: self.batch.expiresAt)
    }
}

/// The time of the last start or resume of a campaign, and its outcome count at that time.
///
/// Any process can compute the average rate from it.
public struct CampaignRateBaseline: Hashable, Sendable {
    /// The time of the last start or resume, to the millisecond.
    public let since: Date

    /// The number of targets whose outcome came from sending by then; see ``OutcomeCounts/worked``.
    public let settled: Int

    public init(since: Date, settled: Int) {
        self.since = Date(millisecondsSince1970: since.millisecondsSince1970)
        self.settled = settled
    }

    /// The average number of outcomes per second since then; `nil` if there were none.
    public func perSecond(settled: Int, now: Date) -> Double? {
        let seconds = now.timeIntervalSince(self.since)
        guard settled > self.settled, seconds > 0 else { return nil }
        return (Double(settled) - Double(self.settled)) / seconds
    }
}
