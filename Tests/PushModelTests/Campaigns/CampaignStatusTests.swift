// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("How far a campaign has come")
struct CampaignStatusTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func status(
        _ state: CampaignState = .running,
        waves: [(seconds: TimeInterval, isDone: Bool)] = [(0, false)],
        counts: OutcomeCounts = OutcomeCounts()
    ) throws -> CampaignStatus {
        let campaign = Campaign(
            id: CampaignID(now: self.now),
            app: "com.example.app",
            name: "test",
            audience: .all,
            message: CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: "{}"))),
            start: .now,
            createdAt: self.now
        )
        let waves = waves.map { wave in
            CampaignFanOut.Wave(due: self.now.addingTimeInterval(wave.seconds), zones: .any, isDone: wave.isDone)
        }
        let lifecycle = CampaignLifecycle(
            state: state,
            plan: CampaignFanOut(waves: waves, lastPlace: 7),
            claimableAt: nil,
            stretch: CampaignRateBaseline(since: self.now, settled: 10),
            planningTime: self.now,
            expiresAt: nil
        )
        return CampaignStatus(campaign: campaign, lifecycle: lifecycle, counts: counts)
    }

    @Test("it is under way to its end while it runs and no wave is still to come")
    func waves() throws {
        #expect(try self.status().isUnderWayToItsEnd(now: self.now))
        #expect(try self.status(waves: [(0, true), (-1, false)]).isUnderWayToItsEnd(now: self.now))
        #expect(try self.status(waves: [(60, true)]).isUnderWayToItsEnd(now: self.now))
        #expect(try !self.status(waves: [(0, true), (60, false)]).isUnderWayToItsEnd(now: self.now))
        for state: CampaignState in [.scheduled, .paused, .completed, .cancelled, .expired] {
            #expect(try !self.status(state).isUnderWayToItsEnd(now: self.now))
        }
    }

    @Test("what was cancelled or expired at once does not count as speed")
    func speed() throws {
        let counts = OutcomeCounts(
            delivered: 20,
            rejected: [.unregistered: 5],
            failed: [.timeout: 5, .cancelled: 1000, .expired: 2000]
        )
        #expect(counts.total == 3030)
        #expect(counts.worked == 30)
        #expect(try self.status(counts: counts).perSecond(now: self.now.addingTimeInterval(10)) == 2)
        let none = OutcomeCounts(delivered: 10, failed: [.expired: 50])
        #expect(try self.status(counts: none).perSecond(now: self.now.addingTimeInterval(10)) == nil)
    }
}
