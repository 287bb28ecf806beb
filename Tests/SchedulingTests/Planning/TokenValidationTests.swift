// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import SQLiteStore
import Scheduling
import StoreTesting
import Synchronization
import Testing

@Suite("The planner of a token validation", .timeLimit(.minutes(20)))
struct TokenValidationTests {
    /// Plays APNs: of 40 devices every fourth token is bad in the sandbox, and every second of these in production too.
    private final class Tries: Sendable {
        private let targets = Mutex<[Target]>([])

        var all: [Target] { self.targets.withLock { $0 } }

        /// Settles every batch that can be claimed now.
        func settleReady(_ stage: SchedulingStage) async throws {
            let claimed = try await stage.store.claim(
                lane: .bulk,
                limit: 1000,
                worker: "worker",
                leaseDuration: .seconds(60),
                now: stage.now.date
            )
            for claim in claimed {
                let targets = Array(claim.batch.targets)
                self.targets.withLock { $0 += targets }
                let failures = try targets.enumerated().compactMap { index, target in
                    try Self.isBad(target)
                        ? Settlement.Failure(index: index, outcome: .rejected(Rejection(.badDeviceToken))) : nil
                }
                let settlement = Settlement(of: claim, range: 0..<targets.count, failures: failures)
                try await stage.store.settle(settlement, now: stage.now.date)
            }
        }

        static func isBad(_ target: Target) throws -> Bool {
            let number = try (0..<40).first { try SchedulingStage.token($0) == target.token } ?? 0
            return number.isMultiple(of: target.environment == .sandbox ? 4 : 8)
        }
    }

    private static func tokenValidation(_ stage: SchedulingStage, fix: Bool = true) throws -> Campaign {
        try Campaign(
            id: CampaignID(now: stage.now.date),
            app: SchedulingStage.app,
            name: "test",
            audience: .all,
            tokenValidation: TokenValidation(durationSeconds: 0, devices: 40, fixesEnvironment: fix),
            start: .now,
            createdAt: stage.now.date
        )
    }

    private static func expectWhole(_ stage: SchedulingStage, _ campaign: Campaign, _ tries: Tries) async throws {
        let own = tries.all.filter { $0.environment == .sandbox }
        #expect(own.count == 40)
        #expect(Set(own).count == 40)
        let other = tries.all.filter { $0.environment == .production }
        let bad = try stride(from: 0, to: 40, by: 4).map { try SchedulingStage.token($0) }
        #expect(other.count == 10)
        #expect(Set(other.map(\.token)) == Set(bad))
        let status = try await stage.status(of: campaign)
        #expect(status.lifecycle.state == .completed)
        #expect(status.remaining == 0)
        let report = TokenValidationReport(status)
        #expect(report.checked == 40)
        #expect(report.valid == 30)
        #expect(report.otherEnvironment == 5)
        #expect(report.invalid == 5)
        #expect(report.fixed == 5)
        for number in 0..<40 {
            let installation = DeviceID(unchecked: "device-\(number)")
            let device = try #require(try await stage.store.device(installation, of: SchedulingStage.app))
            #expect(device.environment == (number % 8 == 4 ? .production : .sandbox), "\(number)")
        }
    }

    @Test(
        "that is killed in the second phase loses and repeats nothing, and counts nothing twice",
        arguments: [
            (7, true), (7, false), (8, true), (8, false), (9, true), (9, false), (10, true), (10, false), (11, false),
        ]
    )
    func killed(steps: Int, arrives: Bool) async throws {
        try await SchedulingStage.open { stage in
            stage.configuration.shardSize = 10
            try await stage.register(0..<40)
            let campaign = try Self.tokenValidation(stage)
            let tries = Tries()
            let changes = stage.store.changes()
            let end = stage.store.changes()
            try await stage.store.createCampaign(campaign)
            let mortal = MortalStore(stage.store, steps: steps, arrives: arrives)
            try await stage.plan(on: mortal, planner: "dead") { [stage] in
                let (events, feed) = AsyncStream.makeStream(of: Bool.self)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await change in changes where change == .batchReady(.bulk) { feed.yield(false) }
                    }
                    group.addTask {
                        for await _ in mortal.death {}
                        feed.yield(true)
                    }
                    for await isDead in events {
                        try await tries.settleReady(stage)
                        if isDead { break }
                    }
                    group.cancelAll()
                }
            }
            let plan = try #require(try await stage.status(of: campaign).lifecycle.plan)
            #expect(plan.isRead)
            stage.now.advance(by: .seconds(16))
            try await stage.plan { [stage] in
                try await tries.settleReady(stage)
                for await change in end {
                    if change == .notificationSettled(campaign.id.notification) { break }
                    if change == .batchReady(.bulk) { try await tries.settleReady(stage) }
                }
            }
            try await Self.expectWhole(stage, campaign, tries)
        }
    }

    @Test(
        "that is paused and resumed between the phases goes on, and cancelled it tries nothing more",
        arguments: TestStoreBackend.allCases
    )
    func steered(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            try await stage.register(0..<40)
            let campaign = try Self.tokenValidation(stage)
            let cancelled = try Self.tokenValidation(stage)
            let tries = Tries()
            let changes = stage.store.changes()
            try await stage.plan { [stage] in
                try await stage.store.createCampaign(campaign)
                for await change in changes where change == .batchReady(.bulk) { break }
                _ = try await stage.store.pauseCampaign(campaign.id, now: stage.now.date)
                try await tries.settleReady(stage)
                #expect(tries.all.isEmpty)
                let end = stage.store.changes()
                _ = try await stage.store.resumeCampaign(campaign.id, now: stage.now.date)
                for await change in end {
                    if change == .notificationSettled(campaign.id.notification) { break }
                    if change == .batchReady(.bulk) { try await tries.settleReady(stage) }
                }
                try await Self.expectWhole(stage, campaign, tries)

                let ready = stage.store.changes()
                try await stage.store.createCampaign(cancelled)
                for await change in ready where change == .batchReady(.bulk) { break }
                _ = try await stage.store.cancelCampaign(cancelled.id, now: stage.now.date)
                let status = try await stage.status(of: cancelled)
                #expect(status.lifecycle.state == .cancelled)
                #expect(status.isCompleted)
                let report = TokenValidationReport(status)
                // The first one made 5 devices invalid.
                #expect(report.inconclusive.failed[.cancelled] == 35)
                #expect(report.otherEnvironment == 0)
            }
        }
    }
}
