// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLiteStore
import Scheduling
import ServiceLifecycle
import StoreTesting
import Telemetry
import Testing

@Suite("Halting what is being sent", .timeLimit(.minutes(20)))
struct HaltingTests {
    @Test(
        "a paused campaign stops where it is, and resumed it reaches every device exactly once",
        arguments: TestStoreBackend.allCases
    )
    func paused(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 1
                stage.configuration.maxInFlight = 1
                let targets = try stage.bootTargets(6, on: simulator)
                let hold = simulator.inject(SimulatorFault(.hold, match: .init(token: targets[2].token.hex)))
                let campaign = try await stage.begin(targets)
                try await stage.deliver { [stage] in
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    for _ in 0..<3 { _ = await arrivals.next() }
                    // The third is on its way when the campaign is paused.
                    _ = try await stage.store.pauseCampaign(campaign.id, now: stage.now.date)
                    try await stage.observed.first { $0 == .noticedHalt(campaign.id.notification) }
                    simulator.removeFault(hold)
                    try await stage.observed.nextRelease()
                    let batch = try await stage.lifecycle(of: campaign)
                    #expect(batch.state == .paused)
                    let status = try await stage.status(of: campaign)
                    #expect(status.lifecycle.state == .paused)
                    #expect(status.counts == OutcomeCounts(delivered: 3))
                    #expect(batch.remaining == 3)
                    #expect(simulator.statistics.delivered == 3)
                    let changes = stage.store.changes()
                    _ = try await stage.store.resumeCampaign(campaign.id, now: stage.now.date)
                    try await stage.finished(campaign, changes)
                }
                let status = try await stage.status(of: campaign)
                #expect(status.lifecycle.state == .completed)
                #expect(status.counts == OutcomeCounts(delivered: 6))
                #expect(simulator.statistics.delivered == 6)
            }
        }
    }

    @Test(
        "a cancelled campaign settles what is on its way, and counts the rest as cancelled",
        arguments: TestStoreBackend.allCases
    )
    func cancelled(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 1
                stage.configuration.maxInFlight = 1
                let targets = try stage.bootTargets(5, on: simulator)
                let hold = simulator.inject(SimulatorFault(.hold, match: .init(token: targets[1].token.hex)))
                let campaign = try await stage.begin(targets)
                try await stage.deliver { [stage] in
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    for _ in 0..<2 { _ = await arrivals.next() }
                    let changes = stage.store.changes()
                    _ = try await stage.store.cancelCampaign(campaign.id, now: stage.now.date)
                    try await stage.observed.first { $0 == .noticedHalt(campaign.id.notification) }
                    simulator.removeFault(hold)
                    try await stage.finished(campaign, changes)
                }
                let status = try await stage.status(of: campaign)
                #expect(status.lifecycle.state == .cancelled)
                #expect(status.isCompleted)
                #expect(status.counts == OutcomeCounts(delivered: 2, failed: [.cancelled: 3]))
                #expect(simulator.statistics.delivered == 2)
                let calledOff = ["outcome": "failed", "reason": "cancelled"]
                let metrics = try PrometheusText(stage.metrics.text())
                #expect(metrics.value("apus_delivery_outcomes_total", calledOff) == 3)
            }
        }
    }

    @Test("what another process pauses is noticed by asking the store, and stops as well")
    func pausedElsewhere() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 1
                stage.configuration.maxInFlight = 1
                stage.configuration.haltInterval = .milliseconds(400)
                let targets = try stage.bootTargets(4, on: simulator)
                let hold = simulator.inject(SimulatorFault(.hold, match: .init(token: targets[1].token.hex)))
                let campaign = try await stage.begin(targets)
                let path = stage.directory.appendingPathComponent("store.sqlite").path
                let other = try SQLiteStore(configuration: SQLiteStoreConfiguration(path: path), logger: .silent)
                try await stage.deliver { [stage] in
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    for _ in 0..<2 { _ = await arrivals.next() }
                    _ = try await other.pauseCampaign(campaign.id, now: stage.now.date)
                    try await stage.clock.fire(timerDueIn: .milliseconds(400))
                    // The answer was acted on, and the next question waits.
                    try await stage.clock.timer(dueIn: .milliseconds(400))
                    simulator.removeFault(hold)
                    try await stage.observed.nextRelease()
                    #expect(try await stage.lifecycle(of: campaign).state == .paused)
                }
                other.close()
                let status = try await stage.status(of: campaign)
                #expect(status.counts == OutcomeCounts(delivered: 2))
                #expect(simulator.statistics.delivered == 2)
            }
        }
    }

    @Test(
        "a campaign is planned, sent and finished, with the dead tokens marked",
        arguments: [nil, 200],
        TestStoreBackend.allCases
    )
    func whole(ratePerSecond: Int?, on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                let targets = try stage.bootTargets(60, on: simulator)
                for target in targets { try await stage.register(target, now: stage.now.date) }
                let gone = try stage.boot(on: simulator)
                try simulator.uninstall(DeliveryStage.app.rawValue, from: gone.device.id)
                let installation = try await stage.register(gone.target, now: stage.now.date.addingTimeInterval(-3600))
                let campaign = try stage.campaign(ratePerSecond: ratePerSecond)
                // Time passes by itself, on a busy machine faster than anything is sent: no lease is to lapse for that.
                var scheduling = SchedulingConfiguration()
                scheduling.leaseDuration = .seconds(86_400)
                stage.configuration.leaseDuration = .seconds(86_400)
                let planner = CampaignScheduler(
                    store: stage.store,
                    configuration: scheduling,
                    clock: stage.clock,
                    now: { [now = stage.now] in now.date },
                    logger: .silent
                )
                let changes = stage.store.changes()
                try await stage.deliver { [stage] in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await planner.run() }
                        try await stage.store.createCampaign(campaign)
                        try await stage.clock.pass(upTo: .seconds(80_000), alsoAdvancing: stage.now) {
                            try await stage.finished(campaign, changes)
                        }
                        group.cancelAll()
                    }
                }
                let status = try await stage.status(of: campaign)
                #expect(status.lifecycle.state == .completed)
                #expect(status.counts.delivered == 60)
                #expect(status.counts.totalRejected == 1)
                #expect(simulator.statistics.delivered == 60)
                #expect(try await stage.deviceStatus(installation)?.isReachable == false)
            }
        }
    }
}

extension DeliveryStage {
    fileprivate func campaign(ratePerSecond: Int? = nil) throws -> Campaign {
        Campaign(
            id: CampaignID(now: self.now.date),
            app: Self.app,
            name: "test",
            audience: .all,
            message: CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"hello"}}"#))),
            ratePerSecond: ratePerSecond,
            createdAt: Date(millisecondsSince1970: self.now.date.millisecondsSince1970)
        )
    }

    /// Creates a campaign and plans all targets as one batch.
    fileprivate func begin(_ targets: [Target]) async throws -> Campaign {
        let campaign = try self.campaign()
        let planner: WorkerID = "planner"
        try await self.store.createCampaign(campaign)
        _ = try await self.store.claimCampaigns(
            planner: planner,
            limit: 1,
            leaseDuration: .seconds(60),
            now: self.now.date
        )
        let plan = CampaignFanOut(waves: [.init(due: campaign.planningTime, zones: .any)], lastPlace: .max)
        let pace = FanOutLimits(shardSize: targets.count + 1)
        guard case .read(let order) = plan.next(now: self.now.date, pace: pace, backlog: CampaignBacklog()) else {
            throw StageError.missing("something to plan")
        }
        let members = targets.enumerated().map { AudienceDevice(place: Int64($0 + 1), target: $1) }
        var generator = SystemRandomNumberGenerator()
        let step = try plan.planning(members, of: order, for: campaign, now: self.now.date, using: &generator)
        for step in [FanOutStep(campaign: campaign.id, plan: plan), step] {
            try await self.store.advance(step, planner: planner, leaseDuration: .seconds(60), now: self.now.date)
        }
        return campaign
    }

    fileprivate func status(of campaign: Campaign) async throws -> CampaignStatus {
        guard let status = try await self.store.campaign(campaign.id) else { throw StageError.missing("the campaign") }
        return status
    }

    fileprivate func lifecycle(of campaign: Campaign) async throws -> BatchLifecycle {
        let status = try await self.store.notification(campaign.id.notification)
        guard let batch = status?.batches.first else { throw StageError.missing("the batch") }
        return batch.lifecycle
    }

    /// Waits until all batches of a campaign are final.
    fileprivate func finished(_ campaign: Campaign, _ changes: AsyncStream<StoreChange>) async throws {
        try await changes.nextElement { $0 == .notificationSettled(campaign.id.notification) }
    }
}
