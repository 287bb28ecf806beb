// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How large shards are, and how far ahead of what is sent they are planned.
public struct CampaignPace: Hashable, Sendable {
    /// How many notifications are sent in a second at most; `nil` for no limit.
    public var throttle: Double?

    /// How much time a shard of a throttled campaign is for.
    ///
    /// Default: 100 milliseconds.
    public var turn: Duration

    /// The most devices of a shard, 1...10,000.
    public var shardSize: Int

    /// How many devices may be planned and have no outcome.
    ///
    /// Default: 60,000. Pausing, cancelling and removing devices take hold of all that is behind that.
    public var lookahead: Int

    /// How long before its turn a shard of a throttled campaign is planned at most.
    ///
    /// Default: 1 second.
    public var lead: Duration

    /// Takes how large shards are and how far ahead they are planned.
    public init(
        throttle: Double? = nil,
        turn: Duration = .milliseconds(100),
        shardSize: Int = Batch.maximumTargets,
        lookahead: Int = 60_000,
        lead: Duration = .seconds(1)
    ) {
        self.throttle = throttle
        self.turn = turn
        self.shardSize = min(max(1, shardSize), Batch.maximumTargets)
        self.lookahead = lookahead
        self.lead = lead
    }

    /// How many devices the next shard has: of a throttled campaign, a turn's worth.
    var limit: Int {
        guard let throttle else { return self.shardSize }
        return min(self.shardSize, max(1, Int(throttle * (self.turn / .seconds(1)))))
    }
}

/// What of a campaign is planned and has no outcome.
public struct CampaignBacklog: Hashable, Sendable {
    /// How many targets.
    public var targets: Int

    /// How many of them nobody has claimed although their turn came a while ago.
    public var overdue: Int

    /// Takes how many targets there are, and how many of them are overdue.
    public init(targets: Int = 0, overdue: Int = 0) {
        self.targets = targets
        self.overdue = overdue
    }
}

extension CampaignPlan {
    /// Devices that are to be read and planned next.
    public struct Order: Hashable, Sendable {
        /// Which wave they are of.
        public let wave: Int

        /// Their time zones.
        public let zones: ZoneFilter

        /// The place behind which to begin.
        public let after: Int64

        /// The last place.
        public let through: Int64

        /// How many there are at most.
        public let limit: Int

        /// When they may be sent to; `nil` means at once.
        public let sendAt: Date?
    }

    /// What to do next.
    public enum Step: Hashable, Sendable {
        /// Read these and plan them.
        case read(Order)

        /// Do nothing before that time.
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

    /// Decides what to do next.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - pace: how large shards are and how far ahead they are planned.
    ///   - backlog: what is planned and has no outcome.
    /// - Returns: what to do.
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
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - pace: how large shards are and how far ahead they are planned.
    ///   - backlog: what is planned and has no outcome.
    ///   - step: what to plan, to be sent at a time.
    /// - Returns: what to do.
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
        guard backlog.targets == 0 || backlog.targets + pace.limit <= pace.lookahead else { return .waitForRoom }
        return step(sendAt)
    }

    /// Plans the devices that were read: a step further, with the batches that belong to it.
    ///
    /// - Parameters:
    ///   - members: the devices, in their order; fewer than asked for when there are no more.
    ///   - order: what was asked for.
    ///   - campaign: the campaign.
    ///   - now: the time; ids are made of it.
    ///   - generator: where the random bits of the ids come from.
    /// - Returns: the plan behind the step, and its batches.
    /// - Throws: `ValidationFailure` when the campaign's message cannot be sent for its app.
    public func planning(
        _ members: [AudienceMember],
        of order: Order,
        for campaign: Campaign,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws -> CampaignStep {
        var plan = self
        plan.revision += 1
        plan.waves[order.wave].place = members.last?.place ?? order.through
        plan.waves[order.wave].isDone = members.count < order.limit
        plan.planned += members.count
        if plan.isRead { plan.expected = plan.planned }
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let headers = try campaign.message.headers(for: campaign.app, sentAt: order.sendAt ?? now)
        let parts = campaign.message.compose(members)
        let sent = parts.reduce(0) { $0 + ($1.failure == nil ? $1.targets.count : 0) }
        if let rate = campaign.rate, let sendAt = order.sendAt {
            plan.paceAt = sendAt.addingTimeInterval(Double(sent) / rate)
        }
        let batches = zip(plan.drawIDs(parts.count, now: now, using: &generator), parts).map { id, part in
            defer { plan.nextOrdinal += 1 }
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
