// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import Testing

@Suite("The plan of a token validation")
struct TokenValidationPlanTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func campaign(duration: Int = 0, devices: Int = 10, fix: Bool = false) throws -> Campaign {
        try Campaign(
            id: CampaignID(now: self.now),
            app: "com.example.app",
            name: "test",
            audience: .all,
            tokenValidation: TokenValidation(durationSeconds: duration, devices: devices, fixesEnvironment: fix),
            start: .now,
            createdAt: self.now
        )
    }

    private func plan() -> CampaignFanOut {
        CampaignFanOut(waves: [.init(due: self.now, zones: .any)], lastPlace: 1_000_000, isTokenValidation: true)
    }

    private static func target(_ number: Int) throws -> Target {
        Target(token: try DeviceToken(hex: String(format: "%064x", number)), environment: .sandbox)
    }

    private static func pace(_ campaign: Campaign) -> FanOutLimits {
        FanOutLimits(ratePerSecond: campaign.rate, turn: campaign.tokenValidation?.turn ?? .zero)
    }

    @Test("sends what nobody sees: background, priority 5, nothing but content-available, and not kept")
    func message() throws {
        let campaign = try self.campaign()
        #expect(campaign.message.fallback.source.bytes == Array(#"{"aps":{"content-available":1}}"#.utf8))
        let headers = try campaign.message.headers(for: campaign.app, sentAt: self.now)
        #expect(headers.pushType == .background)
        #expect(headers.priority == .powerConsiderate)
        #expect(headers.expiration == .once)
        #expect(headers.validate(payloadSize: 31).isEmpty)
    }

    @Test(
        "spreads the devices evenly over the time, in at most about a thousand shards",
        arguments: [(100, 1000), (50_000, 3600), (1_000_000, 86_400), (7, 604_800)]
    )
    func spread(devices: Int, seconds: Int) throws {
        let campaign = try self.campaign(duration: seconds, devices: devices)
        let pace = Self.pace(campaign)
        var generator = SeededRandom(seed: 1)
        var plan = self.plan()
        var now = self.now
        var turns: [(time: Double, count: Int)] = []
        loop: while true {
            switch plan.next(now: now, pace: pace, backlog: CampaignBacklog()) {
            case .wait(let time): now = time
            case .read(let order):
                let count = min(order.limit, devices - plan.planned)
                let members = try (0..<count).map {
                    AudienceDevice(place: order.after + Int64($0) + 1, target: try Self.target(1))
                }
                let step = try plan.planning(members, of: order, for: campaign, now: now, using: &generator)
                if count > 0 { turns.append((try #require(order.sendAt).timeIntervalSince(self.now), count)) }
                plan = step.plan
            default: break loop
            }
        }
        #expect(turns.reduce(0) { $0 + $1.count } == devices)
        #expect(turns.count <= 1100)
        let largest = Double(turns.map(\.count).max() ?? 0)
        var sent = 0
        for turn in turns {
            // Never a shard away from a straight line.
            #expect(abs(Double(sent) - turn.time * Double(devices) / Double(seconds)) <= largest + 1)
            sent += turn.count
        }
        let last = try #require(turns.last)
        #expect(last.time <= Double(seconds))
    }

    @Test("goes on to the other environment with the bad tokens alone, once all have their outcome")
    func phases() throws {
        let campaign = try self.campaign(fix: true)
        let validation = try #require(campaign.tokenValidation)
        let pace = Self.pace(campaign)
        var generator = SeededRandom(seed: 1)
        var plan = self.plan()
        guard case .read(let order) = plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) else {
            Issue.record("nothing to read")
            return
        }
        let members = try (1...4).map { AudienceDevice(place: Int64($0), target: try Self.target($0)) }
        let first = try plan.planning(members, of: order, for: campaign, now: self.now, using: &generator)
        plan = first.plan
        #expect(plan.isRead && !plan.isDone)
        let busy = CampaignBacklog(targets: 1)
        #expect(plan.next(now: self.now, pace: pace, backlog: busy) == .waitForRoom)
        #expect(plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) == .review)
        #expect(plan.reviewing(OutcomeCounts(delivered: 3), for: validation) == nil)
        let counts = OutcomeCounts(delivered: 1, rejected: [.badDeviceToken: 2, .unregistered: 1])
        plan = try #require(plan.reviewing(counts, for: validation))

        guard case .recheck(let recheck) = plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) else {
            Issue.record("nothing to recheck")
            return
        }
        let batch = try #require(first.batches.first?.batch)
        let failures = [(1, RejectionReason.unregistered), (2, .badDeviceToken), (3, .badDeviceToken)].map {
            index,
            reason in
            TargetOutcome(
                apnsID: batch.id.apnsID(at: index),
                notification: batch.notification,
                target: batch.targets[index],
                outcome: .rejected(Rejection(reason))
            )
        }
        let second = try plan.rechecking(
            failures,
            isLast: true,
            of: recheck,
            for: campaign,
            now: self.now,
            using: &generator
        )
        let other = try #require(second.batches.first?.batch)
        #expect(second.batches.count == 1)
        #expect(other.id > batch.id)
        #expect(other.ordinal == batch.ordinal + 1)
        #expect(
            Array(other.targets) == (2...3).map { Target(token: batch.targets[$0].token, environment: .production) }
        )
        plan = second.plan
        #expect(plan.plannedTargets == 6)
        #expect(plan.planned == 4)

        plan = try #require(
            plan.reviewing(counts + OutcomeCounts(delivered: 1, rejected: [.badDeviceToken: 1]), for: validation)
        )
        #expect(plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) == .fix(after: batch.id))
        plan = plan.fixing(through: other.id, count: 1)
        #expect(plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) == .fix(after: other.id))
        plan = plan.fixing(through: nil, count: 0)
        #expect(plan.isDone)
        #expect(plan.recheck?.fixed == 1)
    }

    @Test("looks at no failure of the second phase")
    func ownFailures() throws {
        let campaign = try self.campaign()
        let validation = try #require(campaign.tokenValidation)
        var generator = SeededRandom(seed: 1)
        var plan = self.plan()
        guard case .read(let order) = plan.next(now: self.now, pace: Self.pace(campaign), backlog: CampaignBacklog())
        else {
            Issue.record("nothing to read")
            return
        }
        let member = AudienceDevice(place: 1, target: try Self.target(1))
        let first = try plan.planning([member], of: order, for: campaign, now: self.now, using: &generator)
        let bad = OutcomeCounts(rejected: [.badDeviceToken: 1])
        plan = try #require(first.plan.reviewing(bad, for: validation))
        guard
            case .recheck(let recheck) = plan.next(now: self.now, pace: Self.pace(campaign), backlog: CampaignBacklog())
        else {
            Issue.record("nothing to recheck")
            return
        }
        let later = TargetOutcome(
            apnsID: BatchID(now: self.now.addingTimeInterval(60)).apnsID(at: 0),
            notification: campaign.id.notification,
            target: try Self.target(2),
            outcome: .rejected(Rejection(.badDeviceToken))
        )
        let step = try plan.rechecking(
            [later],
            isLast: false,
            of: recheck,
            for: campaign,
            now: self.now,
            using: &generator
        )
        #expect(step.batches.isEmpty)
        let end = try #require(step.plan.reviewing(bad, for: validation))
        #expect(end.isDone)
    }

    @Test("without a bad token is done after the first phase, also of no devices at all")
    func nothingBad() throws {
        let campaign = try self.campaign(fix: true)
        let validation = try #require(campaign.tokenValidation)
        var generator = SeededRandom(seed: 1)
        let plan = self.plan()
        guard case .read(let order) = plan.next(now: self.now, pace: Self.pace(campaign), backlog: CampaignBacklog())
        else {
            Issue.record("nothing to read")
            return
        }
        let step = try plan.planning([], of: order, for: campaign, now: self.now, using: &generator)
        let end = try #require(step.plan.reviewing(OutcomeCounts(), for: validation))
        #expect(end.isDone)
        #expect(end.next(now: self.now, pace: Self.pace(campaign), backlog: CampaignBacklog()) == .done)
    }

    @Test("reports bad tokens as inconclusive until they were tried in the other environment")
    func untried() throws {
        let campaign = try self.campaign()
        let counts = OutcomeCounts(delivered: 3, rejected: [.badDeviceToken: 2, .unregistered: 1])
        let status = CampaignStatus(campaign: campaign, lifecycle: CampaignLifecycle(campaign), counts: counts)
        let report = TokenValidationReport(status)
        #expect(report.checked == 6)
        #expect(report.valid + report.unregistered + report.inconclusive.total == 6)
        #expect(report.inconclusive == OutcomeCounts(rejected: [.badDeviceToken: 2]))
    }

    @Test("is read as it was stored, and one of a campaign of before as it was")
    func stored() throws {
        let counts = OutcomeCounts(delivered: 1, rejected: [.badDeviceToken: 2], failed: [.expired: 1])
        #expect(try JSONDecoder().decode(OutcomeCounts.self, from: JSONEncoder().encode(counts)) == counts)
        let plan = CampaignFanOut(waves: [], lastPlace: 1)
        let json = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
        #expect(!json.contains("recheck"))
        #expect(try JSONDecoder().decode(CampaignFanOut.self, from: Data(json.utf8)) == plan)
    }
}
