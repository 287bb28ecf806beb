// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let screenings = [
        Check("a screening comes back as it was created, and its plan with all that it says") { store in
            try await store.addSampleApp()
            let campaign = try CampaignSamples.screening()
            try await store.createCampaign(campaign)
            try expectEqual(try await store.status(of: campaign).campaign, campaign, "the campaign")
            let claimed = try require(try await store.claimCampaigns().first, "the claim")
            try expectEqual(claimed.campaign, campaign, "the campaign that was claimed")
            var plan = CampaignPlan(
                waves: [.init(due: campaign.planningTime, zones: .any, isDone: true)],
                lastPlace: 0,
                isScreening: true
            )
            try await store.advance(plan, of: campaign)
            let counts = OutcomeCounts(delivered: 1, rejected: [.badDeviceToken: 2], failed: [.expired: 3])
            let screening = try require(campaign.screening, "the screening")
            plan = try require(plan.reviewing(counts, for: screening), "the next plan")
            try await store.advance(plan, of: campaign)
            try expectEqual(try await store.status(of: campaign).lifecycle.plan, plan, "the plan")
        },
        Check("devices whose token belongs to the other environment are corrected, as often as that is asked") {
            store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            try await store.register(
                [
                    try StoreSamples.registration("a", token: 1), try StoreSamples.registration("b", token: 2),
                    try StoreSamples.registration("c", token: 1, app: StoreSamples.otherApp),
                ],
                now: StoreSamples.now
            )
            let before = try require(try await store.device("a", of: StoreSamples.app), "the device")
            for _ in 0..<2 {
                let count = try await store.correct([1, 7], registeredUntil: StoreSamples.now)
                try expectEqual(count, 1, "how many are right now")
                var expected = before
                expected.environment = .sandbox
                try expectEqual(try await store.device("a", of: StoreSamples.app), expected, "the device")
            }
            let other = try await store.device("b", of: StoreSamples.app)
            try expectEqual(other?.environment, .production, "a device that was not named")
            let foreign = try await store.device("c", of: StoreSamples.otherApp)
            try expectEqual(foreign?.environment, .production, "another app's device with the same token")
        },
        Check("a device that has registered since is not corrected, nor one whose token another one has there") {
            store in
            try await store.addSampleApp()
            try await store.register(try StoreSamples.registration("young", token: 1), now: StoreSamples.after(5))
            try await store.register(try StoreSamples.registration("twin", token: 2), now: StoreSamples.now)
            let holder = try StoreSamples.registration("holder", token: 2, environment: .sandbox)
            try await store.register(holder, now: StoreSamples.after(5))
            let count = try await store.correct([1, 2], registeredUntil: StoreSamples.after(4))
            try expectEqual(count, 0, "how many are right now")
            for installation in ["young", "twin"] as [InstallationID] {
                let device = try await store.device(installation, of: StoreSamples.app)
                try expectEqual(device?.environment, .production, "\(installation)")
            }
            try expectEqual(try await store.correct([1], registeredUntil: StoreSamples.after(5)), 1, "at its very time")
            let nobody = try await store.correctEnvironments(
                [],
                of: StoreSamples.otherApp,
                registeredUntil: StoreSamples.now
            )
            try expectEqual(nobody, 0, "of no app")
        },
    ]
}

extension DeviceStore {
    /// Says that tokens belong to the sandbox.
    fileprivate func correct(_ tokens: [Int], registeredUntil: Date) async throws -> Int {
        let targets = try tokens.map { try StoreSamples.target($0, environment: .sandbox) }
        return try await self.correctEnvironments(targets, of: StoreSamples.app, registeredUntil: registeredUntil)
    }
}

extension CampaignStore {
    fileprivate func advance(_ plan: CampaignPlan, of campaign: Campaign) async throws {
        try await self.advance(
            CampaignStep(campaign: campaign.id, plan: plan),
            planner: CampaignSamples.planner,
            leaseDuration: CampaignSamples.lease,
            now: StoreSamples.now
        )
    }
}
