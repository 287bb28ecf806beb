// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Sending again what a campaign left", .timeLimit(.minutes(20)))
struct CampaignResendTests {
    private static let notifications = "/v1/apps/\(TestAPI.app)/notifications"

    private static func register(_ number: Int, token: Int, in store: any PushStore, now: Date) async throws {
        let registration = try StoreFixtures.registration(
            DeviceID(unchecked: "device \(number)"),
            token: token,
            app: TestAPI.app
        )
        try await store.register(registration, now: now)
    }

    /// Creates a campaign and plans it for the devices 0, 1 and so on.
    private static func plan(_ api: TestAPI, devices: Int, now: Date) async throws -> CampaignID {
        let body = #"{"audience":{"all":true},"message":{"default":{"notification":{"body":"Hello"}}}}"#
        let answer = try await api.call(.post, "/v1/apps/\(TestAPI.app)/campaigns", body)
        let id = try #require((answer.json["id"]?.text).flatMap { CampaignID($0) })
        let claimed = try #require(try await api.store.claimCampaigns(now: now).first).campaign
        let plan = CampaignFixtures.plan(claimed)
        try await api.store.advance(FanOutStep(campaign: id, plan: plan), now: now)
        let step = try CampaignFixtures.step(claimed, plan, targets: 0..<devices, isLast: true, now: now)
        try await api.store.advance(step, now: now)
        return id
    }

    private static func tokens(_ numbers: [Int]) throws -> [DeviceToken] {
        try numbers.map { try StoreFixtures.token($0) }
    }

    /// Has every target of the next batch fail, and answers their tokens.
    private static func fail(_ api: TestAPI) async throws -> [DeviceToken] {
        let delivery = FakeDelivery(store: api.store)
        let claimed = try #require(try await delivery.claim(.bulk))
        try await delivery.settle(claimed) { _, _ in .failed(.timeout) }
        return claimed.batch.targets.map(\.token)
    }

    @Test(
        "what a campaign left is not sent to devices that were removed since, nor to tokens that they have no more",
        arguments: TestStoreBackend.allCases
    )
    func removed(on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            let now = setup.time.now
            for number in 0..<4 { try await Self.register(number, token: number, in: api.store, now: now) }
            let campaign = try await Self.plan(api, devices: 4, now: now)
            #expect(try await Self.fail(api) == Self.tokens([0, 1, 2, 3]))
            try await api.store.removeDevice("device 1", of: TestAPI.app)
            try await Self.register(2, token: 9, in: api.store, now: now.addingTimeInterval(1))

            let first = try await api.call(.post, "\(Self.notifications)/\(campaign):resend")
            #expect(first.status == 202, "\(first.text)")
            #expect(try await Self.fail(api) == Self.tokens([0, 3]))

            // What failed once more is sent again by the same rule.
            try await api.store.removeDevice("device 0", of: TestAPI.app)
            let second = try await api.call(.post, "\(Self.notifications)/\(first.json["id"]?.text ?? ""):resend")
            #expect(second.status == 202, "\(second.text)")
            #expect(try await Self.fail(api) == Self.tokens([3]))

            try await api.store.removeDevice("device 3", of: TestAPI.app)
            let third = try await api.call(.post, "\(Self.notifications)/\(second.json["id"]?.text ?? ""):resend")
            #expect(third.status == 422)
            #expect(third.code == "nothing_to_resend")
        }
    }
}
