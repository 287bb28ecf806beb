// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import Scheduling
import StoreTesting
import Testing

@Suite("The planner", .timeLimit(.minutes(20)))
struct PlannerTests {
    @Test(
        "plans every device of the audience once, never far ahead, and the campaign finishes",
        arguments: TestStoreBackend.allCases
    )
    func everyDeviceOnce(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.shardSize = 200
            stage.configuration.maxEnqueuedTargets = 500
            try await stage.register(0..<2300) { DeviceProfile(topics: $0 % 2 == 0 ? ["even"] : []) }
            let campaign = try stage.campaign(audience: .topic("even"))
            let changes = stage.store.changes()
            try await stage.plan { [stage] in
                try await stage.store.createCampaign(campaign)
                let tokens = try await stage.deliver(campaign, changes) { _ in
                    let status = try await stage.status(of: campaign)
                    #expect(status.inFlight <= 500)
                }
                let expected = try (0..<1150).map { try SchedulingStage.token(2 * $0) }
                #expect(tokens.count == 1150)
                #expect(Set(tokens) == Set(expected))
            }
            let status = try await stage.status(of: campaign)
            #expect(status.lifecycle.state == .completed)
            #expect(status.counts == OutcomeCounts(delivered: 1150))
            #expect(status.remaining == 0)
        }
    }

    @Test(
        "devices that are registered during a campaign are not sent to, those that are removed before their turn neither",
        arguments: TestStoreBackend.allCases
    )
    func changesMeanwhile(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.shardSize = 100
            stage.configuration.maxEnqueuedTargets = 100
            try await stage.register(0..<300)
            let campaign = try stage.campaign()
            let changes = stage.store.changes()
            try await stage.plan { [stage] in
                try await stage.store.createCampaign(campaign)
                var isFirst = true
                let tokens = try await stage.deliver(campaign, changes) { _ in
                    guard isFirst else { return }
                    isFirst = false
                    try await stage.register(300..<320)
                    try await stage.store.removeDevice("device-250", of: SchedulingStage.app)
                    try await stage.store.removeDevice("device-5", of: SchedulingStage.app)
                }
                // Number 5 was planned before it was removed.
                let expected = try (0..<300).filter { $0 != 250 }.map { try SchedulingStage.token($0) }
                #expect(tokens.count == 299)
                #expect(Set(tokens) == Set(expected))
            }
        }
    }

    @Test(
        "a planner that is killed loses and repeats nothing: another one goes on when its lease has lapsed",
        arguments: [(1, true), (1, false), (2, true), (2, false), (5, true), (5, false)],
        TestStoreBackend.allCases
    )
    func killed(after death: (Int, Bool), on store: TestStoreBackend) async throws {
        let (steps, arrives) = death
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.shardSize = 50
            try await stage.register(0..<400)
            let campaign = try stage.campaign()
            try await stage.store.createCampaign(campaign)
            let changes = stage.store.changes()
            let mortal = MortalStore(stage.store, steps: steps, arrives: arrives)
            try await stage.plan(on: mortal, planner: "dead") { for await _ in mortal.death {} }
            #expect(try await stage.status(of: campaign).lifecycle.planner == "dead")
            stage.now.advance(by: .seconds(16))
            try await stage.plan { [stage] in
                let early = try await stage.deliverReady()
                let tokens = try await early + stage.deliver(campaign, changes)
                #expect(tokens.count == 400)
                #expect(Set(tokens).count == 400)
            }
            #expect(try await stage.status(of: campaign).lifecycle.state == .completed)
        }
    }

    @Test(
        "two planners on one store share the campaigns and plan each device once",
        arguments: TestStoreBackend.allCases
    )
    func two(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.shardSize = 50
            stage.configuration.campaigns = 2
            try await stage.register(0..<200)
            let campaigns = try (0..<4).map { _ in try stage.campaign() }
            let changes = stage.store.changes()
            try await stage.plan(planner: "one") { [stage] in
                try await stage.plan(planner: "two") { [stage] in
                    for campaign in campaigns { try await stage.store.createCampaign(campaign) }
                    var tokens: [DeviceToken] = []
                    var open = Set(campaigns.map(\.id.notification))
                    for await change in changes where !open.isEmpty {
                        if case .batchReady = change { tokens += try await stage.deliverReady() }
                        if case .notificationSettled(let id) = change { open.remove(id) }
                        if open.isEmpty { break }
                    }
                    #expect(tokens.count == 800)
                    #expect(Set(tokens).count == 200)
                }
            }
            for campaign in campaigns {
                let status = try await stage.status(of: campaign)
                #expect(status.counts == OutcomeCounts(delivered: 200))
                #expect(status.lifecycle.state == .completed)
            }
        }
    }

    @Test(
        "personal messages are sent to each device, and those that cannot be made are counted",
        arguments: TestStoreBackend.allCases
    )
    func personal(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            try await stage.register(0..<20) { number in
                DeviceProfile(tags: number < 15 ? ["name": "N\"\(number % 5)"] : [:])
            }
            let campaign = try stage.campaign(#"{"aps":{"alert":"Hello {{tags.name}}"}}"#)
            let changes = stage.store.changes()
            try await stage.plan { [stage] in
                try await stage.store.createCampaign(campaign)
                var payloads: [String: Int] = [:]
                let tokens = try await stage.deliver(campaign, changes) { batch in
                    for index in 0..<batch.targets.count { payloads[batch.payload[index].text, default: 0] += 1 }
                }
                #expect(tokens.count == 15)
                let expected = (0..<5).map { (#"{"aps":{"alert":"Hello N\"\#($0)"}}"#, 3) }
                #expect(payloads == Dictionary(uniqueKeysWithValues: expected))
            }
            let counts = try await stage.status(of: campaign).counts
            #expect(counts == OutcomeCounts(delivered: 15, failed: [.missingValue: 5]))
        }
    }

    @Test(
        "a throttled campaign is planned a second ahead at most, each shard with its turn",
        arguments: TestStoreBackend.allCases
    )
    func throttled(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            // Nothing but the turns wakes the campaign.
            stage.configuration.planInterval = .seconds(3600)
            stage.configuration.leaseDuration = .seconds(3600)
            stage.configuration.pollInterval = .seconds(3600)
            // A turn each tenth of a second.
            stage.configuration.shardSize = 5
            try await stage.register(0..<150)
            let campaign = try stage.campaign(ratePerSecond: 50)
            try await stage.store.createCampaign(campaign)
            let beginning = stage.now.date
            let watched = StepStore(stage.store)
            try await stage.plan(on: watched) { [stage] in
                let turns = try await stage.clock.pass(upTo: .seconds(600), alsoAdvancing: stage.now) {
                    var turns: Set<Date> = []
                    while true {
                        let (step, now) = try await watched.steps.nextElement()
                        for turn in step.batches.compactMap(\.sendAt) {
                            turns.insert(turn)
                            #expect(turn <= now.addingTimeInterval(1.001))
                        }
                        _ = try await stage.deliverReady()
                        if step.plan.isRead { return turns }
                    }
                }
                let times = turns.sorted()
                for (turn, next) in zip(times, times.dropFirst()) {
                    #expect(next.timeIntervalSince(turn) > 0.099)
                }
                #expect((times.last ?? beginning).timeIntervalSince(beginning) > 2.5)
            }
        }
    }

    @Test("a slow campaign has one batch for every 10 seconds", arguments: TestStoreBackend.allCases)
    func longTurns(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            // Nothing but the turns wakes the campaign.
            stage.configuration.planInterval = .seconds(3600)
            stage.configuration.leaseDuration = .seconds(3600)
            stage.configuration.pollInterval = .seconds(3600)
            try await stage.register(0..<150)
            let campaign = try stage.campaign(ratePerSecond: 10)
            try await stage.store.createCampaign(campaign)
            let beginning = stage.now.date
            let watched = StepStore(stage.store)
            try await stage.plan(on: watched) { [stage] in
                let first = try await watched.steps.nextElement { !$0.step.batches.isEmpty }
                #expect(first.step.batches.map(\.sendAt) == [beginning])
                #expect(try await stage.deliverReady().count == 100)
                let second = try await stage.clock.pass(upTo: .seconds(60), alsoAdvancing: stage.now) {
                    try await watched.steps.nextElement { !$0.step.batches.isEmpty }
                }
                #expect(second.step.batches.map(\.sendAt) == [beginning.addingTimeInterval(10)])
                #expect(try await stage.deliverReady().isEmpty)
                stage.now.advance(by: .seconds(1))
                #expect(try await stage.deliverReady().count == 50)
            }
            #expect(try await stage.status(of: campaign).lifecycle.state == .completed)
        }
    }

    @Test(
        "a campaign waits for its start, and one of local times for each zone's",
        arguments: TestStoreBackend.allCases
    )
    func localTimes(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            let zones = ["Asia/Tokyo", "Europe/Vienna", nil]
            try await stage.register(0..<30) { DeviceProfile(timeZone: zones[$0 % 3]) }
            // Nine hours before UTC reaches it, Tokyo does.
            let start = LocalStart(time: try LocalTime("2026-01-02T09:00"), fallbackZone: "UTC")
            let campaign = try stage.campaign(start: .local(start))
            try await stage.store.createCampaign(campaign)
            try await stage.plan { [stage] in
                let instants = ["2026-01-02T00:00:00Z", "2026-01-02T08:00:00Z", "2026-01-02T09:00:00Z"]
                for (wave, instant) in instants.enumerated() {
                    let due = try Date(instant, strategy: .iso8601)
                    let changes = stage.store.changes()
                    stage.now.advance(by: .seconds(due.timeIntervalSince(stage.now.date)))
                    var tokens: [DeviceToken] = []
                    // The poll claims what is due now.
                    try await stage.clock.fire(timerDueIn: .seconds(1))
                    for await change in changes {
                        guard case .batchReady = change else { continue }
                        tokens = try await stage.deliverReady()
                        break
                    }
                    let expected = try (0..<10).map { try SchedulingStage.token(3 * $0 + wave) }
                    #expect(Set(tokens) == Set(expected))
                }
            }
            #expect(try await stage.status(of: campaign).lifecycle.state == .completed)
        }
    }

    @Test("a wave is planned at its time, however seldom room is looked for", arguments: TestStoreBackend.allCases)
    func punctualWave(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.planInterval = .seconds(3600)
            stage.configuration.leaseDuration = .seconds(3600)
            stage.configuration.pollInterval = .seconds(3600)
            try await stage.register(0..<10) { _ in DeviceProfile(timeZone: "Asia/Tokyo") }
            let start = LocalStart(time: try LocalTime("2026-01-02T09:00"), fallbackZone: "UTC")
            let wave = try Date("2026-01-02T00:00:00Z", strategy: .iso8601)
            stage.now.advance(by: .seconds(wave.timeIntervalSince(stage.now.date) - 30))
            let campaign = try stage.campaign(start: .local(start))
            let changes = stage.store.changes()
            try await stage.store.createCampaign(campaign)
            try await stage.plan { [stage] in
                // Nothing else of the planner sleeps for so short a time.
                try await stage.clock.timers(dueWithin: .seconds(31))
                stage.now.advance(by: .seconds(31))
                stage.clock.advance(by: .seconds(31))
                for await change in changes { if case .batchReady = change { break } }
                let tokens = try await stage.deliverReady()
                #expect(tokens.count == 10)
            }
        }
    }

    @Test(
        "a campaign is given back on shutdown, so that another planner goes on at once",
        arguments: TestStoreBackend.allCases
    )
    func shutdown(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.shardSize = 10
            stage.configuration.maxEnqueuedTargets = 20
            try await stage.register(0..<60)
            let campaign = try stage.campaign()
            let changes = stage.store.changes()
            try await stage.plan { [stage] in
                try await stage.store.createCampaign(campaign)
                for await change in changes { if case .batchReady = change { break } }
            }
            let status = try await stage.status(of: campaign)
            #expect(status.lifecycle.planner == nil)
            #expect(status.lifecycle.claimableAt != nil)
            let rest = stage.store.changes()
            try await stage.plan { [stage] in
                let early = try await stage.deliverReady()
                let tokens = try await early + stage.deliver(campaign, rest)
                #expect(Set(tokens).count == 60)
                #expect(tokens.count == 60)
            }
        }
    }

    @Test("paused it plans nothing more; resumed it plans the rest", arguments: TestStoreBackend.allCases)
    func paused(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.shardSize = 10
            stage.configuration.maxEnqueuedTargets = 20
            try await stage.register(0..<60)
            let campaign = try stage.campaign()
            let changes = stage.store.changes()
            try await stage.plan { [stage] in
                try await stage.store.createCampaign(campaign)
                var isPaused = false
                let tokens = try await stage.deliver(campaign, changes) { _ in
                    if isPaused { return }
                    isPaused = true
                    _ = try await stage.store.pauseCampaign(campaign.id, now: stage.now.date)
                    let ready = try await stage.store.claim(
                        lane: .bulk,
                        limit: 10,
                        worker: "another",
                        leaseDuration: .seconds(60),
                        now: stage.now.date
                    )
                    #expect(ready.isEmpty)
                    _ = try await stage.store.resumeCampaign(campaign.id, now: stage.now.date)
                }
                #expect(tokens.count == 60)
                #expect(Set(tokens).count == 60)
            }
        }
    }

    @Test(
        "an expired campaign plans nothing more, and what was planned keeps its outcomes",
        arguments: TestStoreBackend.allCases
    )
    func expired(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.shardSize = 10
            stage.configuration.maxEnqueuedTargets = 10
            try await stage.register(0..<30)
            let campaign = try stage.campaign(expiresAt: stage.now.date.addingTimeInterval(60))
            let changes = stage.store.changes()
            try await stage.plan { [stage] in
                try await stage.store.createCampaign(campaign)
                let tokens = try await stage.deliver(campaign, changes) { _ in stage.now.advance(by: .seconds(61)) }
                #expect(tokens.count == 10)
            }
            let status = try await stage.status(of: campaign)
            #expect(status.lifecycle.state == .expired)
            #expect(status.counts == OutcomeCounts(delivered: 10))
        }
    }
}
