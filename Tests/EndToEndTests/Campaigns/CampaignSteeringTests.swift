// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import apus

/// Campaigns of thousands of devices by processes of their own, measured at the simulator.
@Suite("A campaign that is steered", .serialized, .timeLimit(.minutes(20)))
struct CampaignSteeringTests {
    private static let rate = 500

    /// Within how many seconds it has to take hold: one is promised, and a machine that does other work gets more. Whoever
    /// does not stop at all sends for more than twice as long.
    private static let patience = 5.0

    @Test(
        "is paused, resumed and called off at once, in every process",
        arguments: TestStoreBackend.allCases,
        CampaignProcesses.Deployment.allCases
    )
    func steered(on store: TestStoreBackend, deployment: CampaignProcesses.Deployment) async throws {
        try await CampaignStage.open(on: store, devices: 6500) { stage, tally in
            let processes = try await CampaignProcesses.start(deployment, on: stage)
            let front = processes.front
            try await front.addCredential(stage.simulator)
            let campaign = try await front.beginCampaign(ratePerSecond: Self.rate)
            await tally.take(Self.rate)

            let paused = try await front.steer("pause", campaign)
            // Long enough for a process to be noticed that has not stopped.
            let kept = try await front.progress(of: campaign) { _ in Date() > paused + Self.patience + 2 }
            #expect(kept.state == "paused")
            let asked = Date()
            _ = try await front.steer("resume", campaign)
            await tally.take(tally.arrived + Self.rate)
            #expect(!tally.instants.contains { $0 > paused + Self.patience && $0 < asked }, "sent after it was paused")
            #expect(tally.instants.contains { $0 >= asked })

            let cancelled = try await front.steer("cancel", campaign)
            let end = try await front.progress(of: campaign) {
                $0.isCompleted && Date() > cancelled + Self.patience + 2
            }
            await tally.take(end.counts.delivered)
            #expect(end.state == "cancelled")
            #expect(!tally.instants.contains { $0 > cancelled + Self.patience }, "sent after it was called off")
            #expect(end.counts.delivered < stage.devices)
            #expect(end.counts.failed.keys.allSatisfy { $0 == "cancelled" })
            // What the simulator took is what counts as delivered: nothing came behind that. Only who delivers can be asked.
            let resent = deployment == .together ? try await front.hasResent() : false
            #expect(resent || stage.simulator.statistics.accepted == end.counts.delivered)
            await processes.stop()
        }
    }

    @Test("with a rate limit is sent evenly, so many in each second", arguments: TestStoreBackend.allCases)
    func throttled(on store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: 4000) { stage, tally in
            let processes = try await CampaignProcesses.start(.together, on: stage)
            try await processes.front.addCredential(stage.simulator)
            let campaign = try await processes.front.beginCampaign(ratePerSecond: Self.rate)
            await tally.take(Self.rate)
            let progress = try await processes.front.progress(of: campaign) {
                $0.remainingSeconds != nil || $0.isCompleted
            }
            #expect(progress.total == stage.devices)
            #expect((1..<stage.devices).contains(try #require(progress.remaining)))
            #expect(try #require(progress.remainingSeconds) > 0)
            await tally.takeAll()
            stage.expectAllDelivered(try await processes.front.settled(campaign))

            let first = try #require(tally.instants.first)
            let last = try #require(tally.instants.last)
            // 4,000 at 500 a second.
            #expect(last.timeIntervalSince(first) > 6.5)
            // Never ahead of the rate by more than a second's worth, which a machine that stands still sends behind that.
            for (index, instant) in tally.instants.enumerated() {
                let allowed = Double(Self.rate) * (instant.timeIntervalSince(first) + 1) + 50
                if Double(index) > allowed {
                    Issue.record("\(index) pushes after \(instant.timeIntervalSince(first)) s")
                }
            }
            await processes.stop()
        }
    }

    @Test("says in every process what it waits for while its key is revoked", arguments: TestStoreBackend.allCases)
    func waiting(on store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: 1000) { stage, tally in
            let simulator = stage.simulator
            let processes = try await CampaignProcesses.start(.apart, on: stage)
            let front = processes.front
            try await front.addCredential(simulator)
            simulator.revokeKey(simulator.demoKey.keyID)
            let campaign = try await front.beginCampaign(ratePerSecond: Self.rate)
            let progress = try await front.progress(of: campaign) { $0.blockedBy != nil }
            let waiting = try #require(progress.blockedBy?.first)
            #expect(progress.blockedBy?.count == 1)
            #expect(waiting.cause == "credential")
            #expect(waiting.environment == "sandbox")
            #expect(waiting.reason == "InvalidProviderToken")
            let credential = try await stage.credential()
            #expect(waiting.credential == credential)
            #expect(waiting.since < waiting.nextProbeAt)
            #expect((progress.ratePerSecond ?? 0) == 0)
            // It is running, so that this changes nothing.
            let told = try await front.apus("campaign", "resume", ServerInTest.app, campaign.id)
            #expect(told.lines.last?.contains("rejects the credential \(credential)") == true, "\(told.lines)")

            try await front.addKey(try simulator.makeKey())
            let going = try await front.progress(of: campaign) { $0.blockedBy == nil }
            #expect(going.state == "running")
            await tally.takeAll()
            stage.expectAllDelivered(try await front.settled(campaign))
            await processes.stop()
        }
    }
}

extension CampaignStage {
    /// The app's only credential.
    fileprivate func credential() async throws -> String {
        var found: [String] = []
        try await self.server.withStore { store in
            found = try await store.credentials(of: try AppID(validating: ServerInTest.app)).map(\.id.rawValue)
        }
        #expect(found.count == 1)
        return try #require(found.first)
    }
}
