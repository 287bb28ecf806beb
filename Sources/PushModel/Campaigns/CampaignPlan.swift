// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import WallTime

/// How far a campaign is planned: a value without a store and a clock.
///
/// Each wave reads the devices of its time zones in their order, up to the last device that there was when planning
/// began. What is read becomes batches in the transaction that stores the plan, so that a planner that dies loses and
/// repeats nothing.
public struct CampaignPlan: Hashable, Sendable, Codable {
    /// Devices that are sent to from the same instant on.
    public struct Wave: Hashable, Sendable, Codable {
        public let due: Date
        public let zones: ZoneFilter

        /// The place of the last device that was read.
        public internal(set) var place: Int64

        public internal(set) var isDone: Bool

        public init(due: Date, zones: ZoneFilter, isDone: Bool = false) {
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

    /// The place of the last device that there was when planning began; later ones are not sent to.
    public let lastPlace: Int64

    /// How many devices the audience had when that was counted; `nil` until then.
    public internal(set) var expected: Int?

    public internal(set) var planned: Int
    public internal(set) var nextOrdinal: Int

    /// The last batch that was planned; the next ones have greater ids.
    public internal(set) var lastBatch: BatchID?

    /// When the next shard of a throttled campaign may be sent; `nil` until there was one.
    public internal(set) var paceAt: Date?

    /// What a screening does behind its waves; `nil` for a campaign that is none.
    public internal(set) var recheck: ScreeningRecheck?

    public init(waves: [Wave], lastPlace: Int64, expected: Int? = nil, isScreening: Bool = false) {
        self.revision = 1
        self.waves = waves.sorted { $0.due < $1.due }
        self.lastPlace = lastPlace
        self.expected = expected
        self.planned = 0
        self.nextOrdinal = 0
        self.recheck = isScreening ? ScreeningRecheck() : nil
    }

    /// Whether every device was planned.
    public var isRead: Bool { self.waves.allSatisfy(\.isDone) }

    /// Whether nothing is left to plan: every device was, and a screening has looked into what these came to.
    public var isDone: Bool { self.isRead && (self.recheck.map { $0.phase == .done } ?? true) }

    /// Whether nothing is planned before all that was has its outcome: a screening looks into what these came to then.
    public var isWaitingForOutcomes: Bool {
        guard self.isRead, let recheck else { return self.isRead }
        return switch recheck.phase {
        case .checking, .settling, .done: true
        case .rechecking, .correcting: false
        }
    }

    /// How many targets its batches have: a token that a screening tries in both environments counts twice.
    public var plannedTargets: Int { self.planned.addingClamping(self.recheck?.planned ?? 0) }

    /// The wave that is being planned, or is due next; `nil` when all are planned.
    public var currentWave: Int? { self.waves.firstIndex { !$0.isDone } }

    public func counting(_ expected: Int) -> CampaignPlan {
        var plan = self
        plan.revision.add(clamping: 1)
        plan.expected = expected
        return plan
    }
}

/// What of a campaign is planned and has no outcome.
public struct CampaignBacklog: Hashable, Sendable {
    public var targets: Int

    /// How many of them nobody has claimed although their turn came a while ago.
    public var overdue: Int

    public init(targets: Int = 0, overdue: Int = 0) {
        self.targets = targets
        self.overdue = overdue
    }
}

extension CampaignPlan {
    /// Devices that are to be read and planned next.
    public struct Order: Hashable, Sendable {
        public let wave: Int
        public let zones: ZoneFilter

        /// The place behind which to begin.
        public let after: Int64

        /// The last place.
        public let through: Int64

        public let limit: Int

        /// When they may be sent to; `nil` means at once.
        public let sendAt: Date?
    }

    /// What to do next.
    public enum Step: Hashable, Sendable {
        case read(Order)
        case wait(until: Date)

        /// Do nothing until some of what is planned has its outcome.
        case waitForRoom

        /// See what all that was planned came to, and go on with the screening by that.
        case review

        /// Read these failures and plan the bad tokens among them for the other environment.
        case recheck(RecheckOrder)

        /// Correct the devices of some batches behind this one, or behind the first phase.
        case correct(after: BatchID?)

        /// Nothing: all is planned.
        case done
    }

    public func next(now: Date, pace: CampaignPace, backlog: CampaignBacklog) -> Step {
        guard let due = self.waves.lazy.filter({ !$0.isDone }).map(\.due).min() else {
            return self.nextOfScreening(now: now, pace: pace, backlog: backlog)
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

    /// Decides whether more may be planned now, and for when.
    func whenThereIsRoom(
        now: Date,
        pace: CampaignPace,
        backlog: CampaignBacklog,
        _ step: (Date?) -> Step
    ) -> Step {
        var sendAt: Date?
        if let throttle = pace.throttle {
            // After an outage what is overdue has its turn first: the rate holds for both together.
            let earliest = now.addingTimeInterval(Double(backlog.overdue) / throttle)
            let turn = max(self.paceAt ?? earliest, earliest)
            let planAt = turn.addingTimeInterval(-(pace.lead / .seconds(1)))
            guard planAt <= now else { return .wait(until: planAt) }
            sendAt = turn
        }
        let targets = backlog.targets.addingClamping(pace.limit)
        guard backlog.targets == 0 || targets <= pace.lookahead else { return .waitForRoom }
        return step(sendAt)
    }

    /// Plans the devices that were read: a step further, with the batches that belong to it.
    ///
    /// The members are in their order. Fewer than asked for mean that the wave has no more.
    ///
    /// - Throws: `ValidationFailure` when the campaign's message cannot be sent for its app.
    public func planning(
        _ members: [AudienceMember],
        of order: Order,
        for campaign: Campaign,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws -> CampaignStep {
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
            return PlannedBatch(batch: batch, sendAt: order.sendAt, failure: part.failure)
        }
        return CampaignStep(campaign: campaign.id, plan: plan, batches: batches)
    }

    /// Ids in ascending order, all greater than those of the batches before, as the order of failures asks.
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
public struct PlannedBatch: Hashable, Sendable {
    public let batch: Batch

    /// Nobody claims it before; `nil` means that it is sent at once.
    public let sendAt: Date?

    /// Why it is not sent at all; `nil` for those that are.
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

/// Where a campaign stood when it last began to run: by it anybody can say how fast it goes who looks for the first time.
public struct CampaignStretch: Hashable, Sendable {
    /// When it began, or was resumed last, to the millisecond.
    public let since: Date

    /// How many targets had come to their outcome by work by then; see ``OutcomeCounts/worked``.
    public let settled: Int

    public init(since: Date, settled: Int) {
        self.since = Date(millisecondsSince1970: since.millisecondsSince1970)
        self.settled = settled
    }

    /// How many outcomes there were in a second on average since then; `nil` while there were none.
    public func perSecond(settled: Int, now: Date) -> Double? {
        let seconds = now.timeIntervalSince(self.since)
        guard settled > self.settled, seconds > 0 else { return nil }
        return (Double(settled) - Double(self.settled)) / seconds
    }
}
