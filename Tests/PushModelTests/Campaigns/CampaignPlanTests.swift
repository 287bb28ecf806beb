// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import Testing

@Suite("Planning campaigns")
struct CampaignPlanTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func campaign(ratePerSecond: Int? = nil) throws -> Campaign {
        Campaign(
            id: CampaignID(now: self.now),
            app: "com.example.app",
            name: "test",
            audience: .all,
            message: CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{}}"#))),
            ratePerSecond: ratePerSecond,
            createdAt: self.now
        )
    }

    private func plan(_ waves: [CampaignFanOut.Wave]? = nil) -> CampaignFanOut {
        CampaignFanOut(waves: waves ?? [CampaignFanOut.Wave(due: self.now, zones: .any)], lastPlace: 1_000_000)
    }

    private func members(_ count: Int, after place: Int64 = 0) throws -> [AudienceDevice] {
        try (0..<count).map { number in
            let token = try DeviceToken(bytes: [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)])
            return AudienceDevice(place: place + Int64(number) + 1, target: Target(token: token, environment: .sandbox))
        }
    }

    @Test("a shard follows another until there are no more devices, with ids in ascending order")
    func shards() throws {
        let campaign = try self.campaign()
        var generator = SeededRandom(seed: 1)
        var plan = self.plan()
        let pace = FanOutLimits(shardSize: 100)
        var batches: [Batch] = []
        for count in [100, 100, 30] {
            guard case .read(let order) = plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) else {
                Issue.record("nothing to read")
                return
            }
            #expect(order.after == plan.waves[0].place)
            let members = try self.members(count, after: order.after)
            let step = try plan.planning(members, of: order, for: campaign, now: self.now, using: &generator)
            #expect(step.plan.revision == plan.revision + 1)
            batches += step.batches.map(\.batch)
            plan = step.plan
        }
        #expect(plan.isDone)
        #expect(plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) == .done)
        #expect(plan.planned == 230)
        #expect(plan.expected == 230)
        #expect(batches.map(\.ordinal) == [0, 1, 2])
        #expect(batches.map(\.id) == batches.map(\.id).sorted())
        #expect(Set(batches.map(\.id)).count == 3)
        #expect(batches.allSatisfy { $0.notification == campaign.id.notification && $0.lane == .bulk })
    }

    @Test("no more is planned than the lookahead while what was planned has no outcome")
    func room() {
        let plan = self.plan()
        let pace = FanOutLimits(shardSize: 100, lookahead: 250)
        func step(_ targets: Int) -> CampaignFanOut.Step {
            plan.next(now: self.now, pace: pace, backlog: CampaignBacklog(targets: targets))
        }
        guard case .read = step(150) else {
            Issue.record("nothing to read")
            return
        }
        #expect(step(151) == .waitForRoom)
    }

    @Test("waves have their turns when they are due")
    func waves() throws {
        let later = self.now.addingTimeInterval(3600)
        var plan = self.plan([
            CampaignFanOut.Wave(due: later, zones: .only(["B"])),
            CampaignFanOut.Wave(due: self.now, zones: .only(["A"])),
        ])
        var generator = SeededRandom(seed: 1)
        let pace = FanOutLimits(shardSize: 100)
        guard case .read(let order) = plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) else {
            Issue.record("nothing to read")
            return
        }
        #expect(order.zones == .only(["A"]))
        let campaign = try self.campaign()
        plan = try plan.planning([], of: order, for: campaign, now: self.now, using: &generator).plan
        #expect(plan.next(now: self.now, pace: pace, backlog: CampaignBacklog()) == .wait(until: later))
        #expect(plan.currentWave == 1)
        guard case .read(let second) = plan.next(now: later, pace: pace, backlog: CampaignBacklog()) else {
            Issue.record("nothing to read")
            return
        }
        #expect(second.zones == .only(["B"]))
        #expect(second.after == 0)
    }

    /// When so many notifications of a throttled campaign may be sent, planned as time passes.
    private func turns(
        ratePerSecond: Int,
        seconds: Double,
        idle: Range<Double> = 0..<0,
        overdue: Int = 0
    ) throws -> [(time: Double, count: Int)] {
        let campaign = try self.campaign(ratePerSecond: ratePerSecond)
        var generator = SeededRandom(seed: 1)
        var plan = self.plan()
        var turns: [(time: Double, count: Int)] = []
        for tick in 0..<Int(seconds * 20) {
            let elapsed = Double(tick) / 20
            if idle.contains(elapsed) { continue }
            let now = self.now.addingTimeInterval(elapsed)
            let isBack = !idle.isEmpty && elapsed < idle.upperBound + 0.05 && elapsed >= idle.upperBound
            let backlog = CampaignBacklog(overdue: isBack ? overdue : 0)
            while case .read(let order) = plan.next(
                now: now,
                pace: FanOutLimits(ratePerSecond: Double(ratePerSecond)),
                backlog: backlog
            ) {
                let members = try self.members(order.limit, after: order.after)
                let step = try plan.planning(members, of: order, for: campaign, now: now, using: &generator)
                let sendAt = try #require(order.sendAt)
                #expect(step.batches.allSatisfy { $0.sendAt == sendAt })
                // Never planned more than a second ahead.
                #expect(sendAt.timeIntervalSince(now) <= 1.001)
                turns.append((sendAt.timeIntervalSince(self.now), members.count))
                plan = step.plan
            }
        }
        return turns
    }

    /// How many notifications are due from a time on for so many seconds, however inexact the sums of times are.
    private func due(_ turns: [(time: Double, count: Int)], from start: Double, seconds: Double) -> Int {
        turns.reduce(0) { sum, turn in
            let isDue = turn.time > start - 0.001 && turn.time < start + seconds - 0.001
            return sum + (isDue ? turn.count : 0)
        }
    }

    @Test(
        "a throttled campaign sends at its rate in any second, a slow one in any 10 seconds",
        arguments: [(1, 10), (7, 10), (10, 10), (100, 1), (150, 1), (333, 1), (1000, 1), (50_000, 1)]
    )
    func throttled(rate: Int, window: Int) throws {
        let turns = try self.turns(ratePerSecond: rate, seconds: Double(3 * window))
        for (turn, next) in zip(turns, turns.dropFirst()) {
            #expect(abs(next.time - turn.time - Double(turn.count) / Double(rate)) < 0.001)
        }
        for start in stride(from: 0, through: Double(2 * window), by: Double(window) / 8) {
            let due = self.due(turns, from: start, seconds: Double(window))
            #expect(due <= window * rate + (turns.first?.count ?? 0), "from \(start) s on")
            #expect(due >= window * rate - (turns.first?.count ?? 0), "from \(start) s on")
        }
    }

    @Test(
        "a slow campaign has few batches: 10 seconds' worth each, or up to 100 devices",
        arguments: [
            (1, 10), (10, 100), (100, 100), (101, 50), (200, 100), (201, 40), (500, 100), (1000, 100),
            (1001, 100), (5000, 500), (10_000, 1000), (50_000, 5000), (1_000_000, 10_000),
        ]
    )
    func turnSize(rate: Int, devices: Int) {
        let pace = FanOutLimits(ratePerSecond: Double(rate))
        guard case .read(let order) = self.plan().next(now: self.now, pace: pace, backlog: CampaignBacklog()) else {
            Issue.record("nothing to read")
            return
        }
        #expect(order.limit == devices)
    }

    @Test("after an outage a throttled campaign goes on at its rate, without making up for it")
    func noBurst() throws {
        let turns = try self.turns(ratePerSecond: 1000, seconds: 10, idle: 2..<6)
        for start in stride(from: 6.0, to: 9, by: 0.25) {
            #expect(self.due(turns, from: start, seconds: 1) <= 1100)
        }
        #expect(turns.allSatisfy { $0.time < 3.1 || $0.time >= 6 })
    }

    @Test("what nobody has claimed in its turn has its turn first")
    func overdueFirst() throws {
        let turns = try self.turns(ratePerSecond: 1000, seconds: 10, idle: 2..<6, overdue: 800)
        let first = try #require(turns.first { $0.time >= 6 })
        #expect(abs(first.time - 6.8) < 0.001)
    }

    @Test("headers tell APNs how long to keep a notification from when it is sent")
    func expiration() throws {
        var message = try self.campaign().message
        message.timeToLive = 60
        let headers = try message.headers(for: "com.example.app", sentAt: self.now)
        #expect(headers.expiration == APNsExpiration(rawValue: 1_767_225_660))
        // Never shorter than it says.
        let later = try message.headers(for: "com.example.app", sentAt: self.now.addingTimeInterval(0.001))
        #expect(later.expiration == APNsExpiration(rawValue: 1_767_225_661))
        message.timeToLive = 0
        #expect(try message.headers(for: "com.example.app", sentAt: self.now).expiration == .once)
    }
}
