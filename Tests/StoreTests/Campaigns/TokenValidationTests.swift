// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: token validations", .timeLimit(.minutes(20)))
struct TokenValidationTests {
    @Test(
        "a token validation and its fan-out are read as they were stored",
        arguments: TestStoreBackend.allCases
    )
    func create(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.tokenValidation()
            try await store.createCampaign(campaign)
            let statusCampaign = try await store.status(of: campaign).campaign
            #expect(statusCampaign == campaign, "the campaign")
            let claimed = try #require(try await store.claimCampaigns().first, "the claim")
            #expect(claimed.campaign == campaign, "the campaign that was claimed")
            var plan = CampaignFanOut(
                waves: [.init(due: campaign.planningTime, zones: .any, isDone: true)],
                lastPlace: 0,
                isTokenValidation: true
            )
            try await store.advance(plan, of: campaign)
            let counts = OutcomeCounts(delivered: 1, rejected: [.badDeviceToken: 2], failed: [.expired: 3])
            let validation = try #require(campaign.tokenValidation, "the token validation")
            plan = try #require(plan.reviewing(counts, for: validation), "the next plan")
            try await store.advance(plan, of: campaign)
            let lifecyclePlan = try await store.status(of: campaign).lifecycle.plan
            #expect(lifecyclePlan == plan, "the plan")
        }
    }

    @Test(
        "devices whose token belongs to the other environment are fixed, as often as that is requested",
        arguments: TestStoreBackend.allCases
    )
    func fix(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.register(
                [
                    try StoreFixtures.registration("a", token: 1), try StoreFixtures.registration("b", token: 2),
                    try StoreFixtures.registration("c", token: 1, app: StoreFixtures.otherApp),
                ],
                now: StoreFixtures.now
            )
            let before = try #require(try await store.device("a", of: StoreFixtures.app), "the device")
            for _ in 0..<2 {
                let count = try await store.fix([1, 7], registeredUntil: StoreFixtures.now)
                #expect(count == 1, "how many are right now")
                var expected = before
                expected.environment = .sandbox
                let device = try await store.device("a", of: StoreFixtures.app)
                #expect(device == expected, "the device")
            }
            let other = try await store.device("b", of: StoreFixtures.app)
            #expect(other?.environment == .production, "a device that was not named")
            let foreign = try await store.device("c", of: StoreFixtures.otherApp)
            #expect(foreign?.environment == .production, "another app's device with the same token")
        }
    }

    @Test(
        "a device that registered later is not fixed, nor one whose token another device has there",
        arguments: TestStoreBackend.allCases
    )
    func keepRegistered(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register(try StoreFixtures.registration("young", token: 1), now: StoreFixtures.after(5))
            try await store.register(try StoreFixtures.registration("twin", token: 2), now: StoreFixtures.now)
            let holder = try StoreFixtures.registration("holder", token: 2, environment: .sandbox)
            try await store.register(holder, now: StoreFixtures.after(5))
            let count = try await store.fix([1, 2], registeredUntil: StoreFixtures.after(4))
            #expect(count == 0, "how many are right now")
            for installation in ["young", "twin"] as [DeviceID] {
                let device = try await store.device(installation, of: StoreFixtures.app)
                #expect(device?.environment == .production, "\(installation)")
            }
            let fixed = try await store.fix([1], registeredUntil: StoreFixtures.after(5))
            #expect(fixed == 1, "at its very time")
            let others = try await store.fixEnvironments(
                [],
                of: StoreFixtures.otherApp,
                registeredUntil: StoreFixtures.now
            )
            #expect(others == 0, "devices of another app")
        }
    }
}

extension DeviceStore {
    /// Says that tokens belong to the sandbox.
    fileprivate func fix(_ tokens: [Int], registeredUntil: Date) async throws -> Int {
        let targets = try tokens.map { try StoreFixtures.target($0, environment: .sandbox) }
        return try await self.fixEnvironments(targets, of: StoreFixtures.app, registeredUntil: registeredUntil)
    }
}

extension CampaignStore {
    fileprivate func advance(_ plan: CampaignFanOut, of campaign: Campaign) async throws {
        try await self.advance(
            FanOutStep(campaign: campaign.id, plan: plan),
            planner: CampaignFixtures.planner,
            leaseDuration: CampaignFixtures.lease,
            now: StoreFixtures.now
        )
    }
}
