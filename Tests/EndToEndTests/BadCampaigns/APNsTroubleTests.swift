// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import CommandLineSupport
import Foundation
import HTTP2Session
import StoreTesting
import Testing

@testable import apus

/// Campaigns of `APUS_TEST_DEVICES` devices, 2,000 unless given, to an APNs in which something goes wrong meanwhile.
@Suite("A campaign on a bad day of APNs", .serialized, .timeLimit(.minutes(10)))
struct APNsTroubleTests {
    private static let devices = CampaignStage.number("APUS_TEST_DEVICES") ?? 2000

    /// What goes wrong, and passes by itself.
    enum Trouble: CaseIterable {
        case goAways
        case lostConnections
        case brokenConnections
        case resetStreams
        case refusedStreams
        case lostAnswers
        case singleStreams
        case expiredTokens

        /// How much is in flight, and so is lost with a connection, where connections are.
        var window: Int? {
            switch self {
            case .lostConnections, .brokenConnections: 100
            case .goAways, .resetStreams, .refusedStreams, .lostAnswers, .singleStreams, .expiredTokens: nil
            }
        }

        /// How long an answer is waited for, where some never come.
        ///
        /// Elsewhere it is a minute, as it is by default. What APNs has taken and not answered until then is sent again, and
        /// a machine may be so busy: with one second 71 and 109 came twice on one, without any GOAWAY and each counted as
        /// `timeout`.
        var responseTimeoutSeconds: Int? { self == .lostAnswers ? 6 : nil }

        /// Whether what a fault strikes is delivered, and its answer is lost at once.
        var losesAnswers: Bool {
            switch self {
            case .lostConnections, .resetStreams: true
            case .goAways, .brokenConnections, .refusedStreams, .lostAnswers, .singleStreams, .expiredTokens: false
            }
        }

        var faults: [SimulatorFault] {
            switch self {
            case .goAways:
                let goAway = SimulatorFault.Action.goAway(reason: .shutdown, code: .noError, lastStreamID: nil)
                return [SimulatorFault(goAway, skip: 100, count: 30, rate: 0.02)]
            case .lostConnections:
                // Not as often as would have a notification given up that is always among what is lost.
                return [SimulatorFault(.drop, skip: 100, count: 10, rate: 0.01, deliversFirst: true)]
            case .brokenConnections:
                let goAway = ConnectionFault.goAwayFirst(reason: .shutdown, code: .noError, lastStreamID: 0)
                let cut = ConnectionCut(after: 20_000, of: .input, resets: true)
                return [
                    SimulatorFault(.connection(.refuse), count: 1),
                    SimulatorFault(.connection(goAway), skip: 1, count: 1),
                    SimulatorFault(.connection(.cut(cut)), skip: 2, count: 4),
                    SimulatorFault(.connection(.fragments(7)), skip: 2, count: 1),
                ]
            case .resetStreams:
                return [SimulatorFault(.reset(.internalError), skip: 100, count: 60, rate: 0.03, deliversFirst: true)]
            case .refusedStreams: return [SimulatorFault(.reset(.refusedStream), skip: 100, count: 300, rate: 0.1)]
            case .lostAnswers: return [SimulatorFault(.silence, skip: 100, count: 20, rate: 0.02, deliversFirst: true)]
            case .singleStreams:
                let one = SettingsOverride(maximumConcurrentStreams: 1)
                let many = SettingsOverride(maximumConcurrentStreams: 1000)
                return [
                    SimulatorFault(.settings(one), skip: 300, count: 8),
                    SimulatorFault(.settings(many), skip: 1500, count: 8),
                ]
            case .expiredTokens:
                return [SimulatorFault(.reject(Rejection(.expiredProviderToken)), skip: 500, count: 50)]
            }
        }
    }

    @Test(
        "reaches every device, and what arrives twice does so under the same apns-id",
        arguments: Trouble.allCases,
        TestStoreBackend.allCases
    )
    func passes(trouble: Trouble, on store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            var environment: [String: String] = [:]
            environment["APUS_DELIVERY_RESPONSE_TIMEOUT_SECONDS"] = trouble.responseTimeoutSeconds.map { "\($0)" }
            environment["APUS_DELIVERY_MAX_IN_FLIGHT"] = trouble.window.map { "\($0)" }
            environment["APUS_DELIVERY_CHUNK_SIZE"] = trouble.window.map { "\($0 / 4)" }
            let server = try await stage.start(environment: environment)
            try await server.addCredential(stage.simulator)
            for fault in trouble.faults { stage.simulator.inject(fault) }
            let campaign = try await server.beginCampaign()
            await tally.takeAll()
            stage.expectAllDelivered(try await server.settled(campaign))
            let faulted = stage.simulator.statistics.faulted
            if trouble != .brokenConnections { #expect(faulted > 0) }
            // A machine that is busy takes a connection for dead now and then, or waits in vain for an answer.
            let lost = try await server.metric("apus_apns_connections_closed_total", #"cause="lost""#)
            let late = try await server.metric("apus_delivery_deferrals_total", #"reason="timeout""#)
            if trouble.window != nil { #expect(lost > 0) }
            let accepted = try await server.metric("apus_apns_accepted_total")
            #expect(accepted == stage.devices, "what was answered is not sent again")
            #expect(await server.process.stop() == 0)
            // What arrives twice had no answer in time: that was withheld, or lost with all that was on a connection.
            let total = try await tally.total()
            let inFlight = trouble.window ?? APNsClientConfiguration().maximumBulkStreams
            #expect(total.surplus <= (trouble.losesAnswers ? faulted : 0) + late + lost * inFlight)
        }
    }

    @Test(
        "keeps what APNs asks to send later, counted to the last one, also over a restart; everything else is sent",
        arguments: [RejectionReason.tooManyRequests, .serviceUnavailable, .internalServerError],
        TestStoreBackend.allCases
    )
    func overload(reason: RejectionReason, on store: TestStoreBackend) async throws {
        let count = 300
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            let first = try await stage.start()
            try await first.addCredential(stage.simulator)
            stage.simulator.inject(SimulatorFault(.reject(Rejection(reason)), skip: 500, count: count))
            let campaign = try await first.beginCampaign()
            await tally.take(stage.devices - count)
            let kept = try await first.progress(of: campaign) { $0.counts.delivered == stage.devices - count }
            #expect(kept.inFlight == count)
            #expect(kept.counts.rejected.isEmpty)
            #expect(kept.counts.failed.isEmpty)
            let resent = try await first.hasResent()
            #expect(await first.process.stop() == 0)

            let second = try await stage.start()
            let still = try await second.status(of: campaign).progress
            #expect(still.inFlight == count)
            #expect(still.counts.delivered == stage.devices - count)
            // Apple asks to wait for longer than a test does.
            let path = "/v1/apps/\(ServerInTest.app)/campaigns/\(campaign.id):cancel"
            _ = try await second.api.call(.post, path)
            let end = try await second.settled(campaign).progress
            #expect(end.state == "cancelled")
            #expect(end.counts.delivered == stage.devices - count)
            #expect(end.counts.rejected.isEmpty)
            #expect(end.counts.failed == ["cancelled": count])
            #expect(await second.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.repeated == 0 || resent)
        }
    }

    @Test(
        "stands still while its key is revoked, and goes on by itself with another one",
        arguments: TestStoreBackend.allCases
    )
    func revokedKey(on store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            let simulator = stage.simulator
            // Little is on its way when the key is revoked.
            let environment = ["APUS_DELIVERY_MAX_IN_FLIGHT": "400", "APUS_DELIVERY_CHUNK_SIZE": "100"]
            let server = try await stage.start(environment: environment)
            try await server.addCredential(simulator)
            let held = simulator.inject(SimulatorFault(.hold, skip: 100))
            let campaign = try await server.beginCampaign()
            await tally.take(150)
            simulator.revokeKey(simulator.demoKey.keyID)
            simulator.removeFault(held)
            try await server.isPaused(by: "credential")
            let kept = try await server.status(of: campaign).progress
            #expect(kept.counts.rejected.isEmpty)
            #expect(kept.counts.failed.isEmpty)

            try await server.addKey(try simulator.makeKey())
            await tally.takeAll()
            stage.expectAllDelivered(try await server.settled(campaign))
            let resent = try await server.hasResent()
            #expect(await server.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.repeated == 0 || resent)
        }
    }

    @Test(
        "waits while the clocks of the server and of APNs are hours apart, and goes on once they agree",
        arguments: TestStoreBackend.allCases
    )
    func clocks(on store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { configuration in
            configuration.clock = SimulatorClock { Date().addingTimeInterval(-7200) }
            configuration.switches.futureProviderToken = .invalidProviderToken
        } _: { stage, tally in
            let server = try await stage.start()
            try await server.addCredential(stage.simulator)
            let campaign = try await server.beginCampaign()
            try await server.isPaused(by: "credential")
            stage.simulator.advance(by: .seconds(7200))
            await tally.takeAll()
            stage.expectAllDelivered(try await server.settled(campaign))
            let resent = try await server.hasResent()
            #expect(await server.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.repeated == 0 || resent)
        }
    }

    @Test(
        "waits while the clock of APNs, which jumped in the middle, is hours ahead, and goes on once it is put back",
        arguments: TestStoreBackend.allCases
    )
    func clockJump(on store: TestStoreBackend) async throws {
        // With a seed the devices come back as they were when a reset has put the clock back.
        try await CampaignStage.open(on: store, devices: Self.devices) {
            $0.seed = 1
        } _: { stage, tally in
            let environment = ["APUS_DELIVERY_MAX_IN_FLIGHT": "400", "APUS_DELIVERY_CHUNK_SIZE": "100"]
            let server = try await stage.start(environment: environment)
            try await server.addCredential(stage.simulator)
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: 100))
            let campaign = try await server.beginCampaign()
            await tally.take(150)
            stage.simulator.advance(by: .seconds(7200))
            stage.simulator.removeFault(held)
            try await server.isPaused(by: "credential")
            let kept = try await server.status(of: campaign).progress
            #expect(kept.counts.rejected.isEmpty)
            #expect(kept.counts.failed.isEmpty)
            #expect(kept.counts.delivered < stage.devices)

            // When all have been answered, the next attempt is seconds away: none comes while there are no devices.
            while try await server.metric("apus_delivery_in_flight") > 0 {}
            tally.reset()
            try stage.simulator.bootDevices(stage.devices, apps: [ServerInTest.app])
            await tally.takeAll()
            stage.expectAllDelivered(try await server.settled(campaign))
            let resent = try await server.hasResent()
            #expect(await server.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.repeated == 0 || resent)
        }
    }
}
