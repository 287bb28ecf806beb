// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Expiry", .timeLimit(.minutes(20)))
struct ExpiryTests {
    @Test("a batch whose time is over is not sent: its targets fail as expired")
    func over() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let targets = try stage.bootTargets(2, on: simulator)
                let plan = try stage.plan(targets, expiresAt: stage.now.date.addingTimeInterval(-1))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(failed: [.expired: 2]))
                }
                #expect(simulator.statistics.delivered == 0)
            }
        }
    }

    @Test(
        "what has an end of 0, or one that had passed, is sent once, and its first answer is its outcome",
        arguments: [0, -60] as [Double]
    )
    func once(secondsLeft: Double) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let end = secondsLeft == 0 ? 0 : Int64(stage.now.date.timeIntervalSince1970 + secondsLeft)
                let (_, target) = try stage.boot(on: simulator)
                let reject = SimulatorFault.Action.reject(Rejection(.tooManyRequests))
                simulator.inject(SimulatorFault(reject, match: .init(token: target.token.hex)))
                let plan = try stage.plan(
                    try stage.bootTargets(1, on: simulator) + [target],
                    expiration: APNsExpiration(rawValue: end)
                )
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(delivered: 1, rejected: [.tooManyRequests: 1]))
                }
                #expect(simulator.statistics.faulted == 1)
            }
        }
    }

    @Test("what has an end of 0 and is lost on the way may have been delivered, and is not sent again")
    func onceAndLost() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                simulator.inject(SimulatorFault(.drop, count: 1, deliversFirst: true))
                let (device, target) = try stage.boot(on: simulator)
                let plan = try stage.plan([target], expiration: .once)
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(failed: [.connectionLost: 1]))
                }
                #expect(simulator.statistics.requests == 1)
                #expect(simulator.device(device.id)?.notifications.count == 1)
            }
        }
    }

    @Test(
        "what APNs would keep until a time is tried no longer by the server either, as a campaign by its timeToLive",
        arguments: [RejectionReason.tooManyRequests, .serviceUnavailable]
    )
    func timeToLive(reason: RejectionReason) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let now = Int64(stage.now.date.timeIntervalSince1970)
                // A minute is what APNs asks for at least.
                simulator.inject(SimulatorFault(.reject(Rejection(reason)), count: 1))
                let minute = try stage.plan(
                    try stage.bootTargets(1, on: simulator),
                    lane: .bulk,
                    expiration: APNsExpiration(rawValue: now + 50)
                )
                let over = try stage.plan(
                    try stage.bootTargets(2, on: simulator),
                    lane: .bulk,
                    expiration: APNsExpiration(rawValue: now - 10),
                    createdAt: stage.now.date.addingTimeInterval(-60)
                )
                try await stage.deliver { [stage] in
                    #expect(try await stage.send(minute).counts == OutcomeCounts(rejected: [reason: 1]))
                    let status = try await stage.send(over)
                    #expect(status.counts == OutcomeCounts(failed: [.expired: 2]))
                    #expect(status.batches.map(\.lifecycle.state) == [.expired])
                }
                #expect(simulator.statistics.faulted == 1)
                #expect(simulator.statistics.delivered == 0)
            }
        }
    }

    @Test(
        "what was planned before a pause of days is sent after it, and kept by APNs for as long as it would have been",
        arguments: TestStoreBackend.allCases
    )
    func paused(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                let (device, target) = try stage.boot(on: simulator)
                let now = Date(millisecondsSince1970: stage.now.date.millisecondsSince1970 / 1000 * 1000)
                let begun = now.addingTimeInterval(-3 * 86_400)
                let campaign = Campaign(
                    id: CampaignID(now: begun),
                    app: DeliveryStage.app,
                    name: "test",
                    audience: .all,
                    message: CampaignMessage(
                        timeToLive: 3600,
                        fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"Hello"}}"#))
                    ),
                    createdAt: begun
                )
                try await stage.store.createCampaign(campaign)
                _ = try await stage.store.claimCampaigns(now: begun)
                let plan = CampaignFixtures.plan(campaign)
                try await stage.store.advance(FanOutStep(campaign: campaign.id, plan: plan), now: begun)
                let next = plan.next(now: begun, pace: FanOutLimits(), backlog: CampaignBacklog())
                guard case .read(let order) = next else { throw StageError.missing("something to plan") }
                var generator = SystemRandomNumberGenerator()
                let step = try plan.planning(
                    [AudienceDevice(place: 1, target: target)],
                    of: order,
                    for: campaign,
                    now: begun,
                    using: &generator
                )
                try await stage.store.advance(step, now: begun)
                _ = try await stage.store.pauseCampaign(campaign.id, now: begun)
                _ = try await stage.store.resumeCampaign(campaign.id, now: now)
                let changes = stage.store.changes()
                try await stage.deliver {
                    for await change in changes where change == .notificationSettled(campaign.id.notification) { break }
                }
                let received = try #require(simulator.device(device.id)?.notifications.first)
                #expect(received.headers["apns-expiration"] == "\(now.millisecondsSince1970 / 1000 + 3600)")
                let status = try await stage.store.campaign(campaign.id)
                #expect(status?.lifecycle.state == .completed)
                #expect(status?.counts == OutcomeCounts(delivered: 1))
            }
        }
    }

    @Test("a batch that names no end fails as expired at the maximum age")
    func tooOld() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 2
                let targets = try stage.bootTargets(3, on: simulator)
                let plan = try stage.plan(targets, createdAt: stage.now.date.addingTimeInterval(-24 * 3600))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(failed: [.expired: 3]))
                }
                #expect(simulator.statistics.delivered == 0)
            }
        }
    }

    @Test("a batch that expires while it is sent fails from there on")
    func midBatch() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 1
                stage.configuration.maxInFlight = 1
                let hold = simulator.inject(SimulatorFault(.hold, count: 1))
                let targets = try stage.bootTargets(3, on: simulator)
                let plan = try stage.plan(targets, expiresAt: stage.now.date.addingTimeInterval(10))
                try await stage.deliver { [stage] in
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    _ = await arrivals.next()
                    stage.now.advance(by: .seconds(10))
                    simulator.removeFault(hold)
                    let status = try await stage.settled(plan, changes)
                    #expect(status.counts == OutcomeCounts(delivered: 1, failed: [.expired: 2]))
                }
            }
        }
    }

    @Test("what waits for a connection when its time is over is not sent any more, and fails as expired at once")
    func waitsForConnection() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                // A connection is tried for longer than this test may take.
                stage.configuration.endpoints[.sandbox]?.trust = .system
                stage.configuration.sendDeadline = .seconds(600)
                stage.configuration.pollInterval = .seconds(3600)
                let client = LogEvents()
                stage.logger = client.logger
                let targets = try stage.bootTargets(2, on: simulator)
                let plan = try stage.plan(targets, expiresAt: stage.now.date.addingTimeInterval(10))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await client.first(containing: "Failed to connect to APNs")
                    // The keeper of the lease wakes when the batch expires; nothing else sleeps for so short a time.
                    try await stage.clock.timers(dueWithin: .seconds(11))
                    stage.now.advance(by: .seconds(11))
                    stage.clock.advance(by: .seconds(11))
                    let status = try await stage.settled(plan, changes)
                    #expect(status.counts == OutcomeCounts(failed: [.expired: 2]))
                }
            }
        }
    }

    @Test("what was delivered behind a target that is still awaited counts as delivered when the batch expires")
    func deliveredBehindGap() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 1
                // Two targets are in flight at once.
                stage.configuration.maxInFlight = 3
                let targets = try stage.bootTargets(5, on: simulator)
                for slow in [targets[0], targets[2]] {
                    let match = SimulatorFault.Match(token: slow.token.hex)
                    simulator.inject(SimulatorFault(.hold, match: match))
                }
                let plan = try stage.plan(
                    Array(targets.prefix(4)),
                    expiresAt: stage.now.date.addingTimeInterval(10)
                )
                try await stage.deliver { [stage] in
                    // A connection has a single stream until APNs has accepted its first push.
                    _ = try await stage.send(try stage.plan([targets[4]]))
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    for _ in 0..<3 { _ = await arrivals.next() }
                    stage.now.advance(by: .seconds(10))
                    simulator.clearFaults()
                    let status = try await stage.settled(plan, changes)
                    #expect(status.counts == OutcomeCounts(delivered: 3, failed: [.expired: 1]))
                    let outcome = try await stage.store.outcome(of: plan.batches[0].id.apnsID(at: 1))
                    #expect(outcome?.outcome == .delivered)
                }
            }
        }
    }
}
