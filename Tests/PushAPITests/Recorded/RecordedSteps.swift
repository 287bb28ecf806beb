// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SNSProtocol
import SQLite
import StoreTesting
import Testing
import Topics

/// The steps of `calls.json`: the work of the services that run concurrently with the API.
struct RecordedSteps: Sendable {
    let store: any PushStore
    let time: TestTime
    let masterKey: MasterKey

    /// A second connection to the database; without it, nothing is quarantined.
    var database: DatabaseQueue?

    /// Performs a step.
    ///
    /// - Returns: new variables of the script.
    func perform(_ name: String, variables: [String: JSONValue]) async throws -> [String: JSONValue] {
        switch name {
        case "advance the clock": self.time.advance(by: 1)
        case "mark keys used":
            let keys = try await self.store.keys(after: nil, limit: 10).elements
            let use = APIKeyUse(time: self.time.now, address: "192.0.2.1")
            try await self.store.markKeysUsed(Dictionary(uniqueKeysWithValues: keys.map { ($0.id, use) }))
        case "deliver": try await self.deliver()
        case "open a circuit": try await self.openCircuit()
        case "run jobs": try await self.runJobs()
        case "roll out": try await self.rollOut()
        case "plan campaigns": try await self.planCampaigns()
        case "execute transitions":
            _ = try await self.store.carryOutTransitions(limit: 10, now: self.time.now)
        case "post to webhook":
            try await self.post(to: try #require(variables["webhook"]?.text.flatMap(WebhookID.init(rawValue:))))
        case "quarantine work":
            if let webhook = variables["webhook"]?.text {
                try await self.database?.quarantine(.webhook, webhook, at: self.time.now)
            }
            try await self.database?.quarantine(.topicDelivery, "7", app: nil, at: self.time.now)
        case "create certificate":
            let signer = MessageSigner(store: self.store, masterKey: self.masterKey) { self.time.now }
            return ["certificate": .string(try await signer.identity().certificateFileName)]
        default: Issue.record("unknown step \(name)")
        }
        return [:]
    }

    /// Settles all batches, with failures for tokens that begin with dd, ee and ff.
    func deliver() async throws {
        for lane in [Lane.urgent, .bulk] {
            let claimed = try await self.store.claim(
                lane: lane,
                limit: 100,
                worker: FakeDelivery.worker,
                leaseDuration: .seconds(60),
                now: self.time.now
            )
            for batch in claimed {
                let settlement = FakeDelivery.settlement(of: batch) { _, target in
                    switch target.token.bytes.first {
                    case 0xDD: .rejected(Rejection(.unregistered, inactiveSince: 1_769_000_000_000))
                    case 0xEE: .failed(.timeout)
                    case 0xFF: .rejected(Rejection(.badDeviceToken))
                    default: .delivered
                    }
                }
                try await self.store.settle(settlement, now: self.time.now)
            }
        }
    }

    private func openCircuit() async throws {
        try await self.store.notePause(
            OpenCircuit(
                line: OpenCircuit.Circuit(app: TestAPI.app, environment: .sandbox, credential: "key-1"),
                pushTypes: [.alert],
                cause: "credential",
                reason: "ExpiredProviderToken",
                since: self.time.now.addingTimeInterval(-5),
                nextProbeAt: self.time.now.addingTimeInterval(10)
            )
        )
    }

    private func runJobs() async throws {
        let claim = try await self.store.claimJobRuns(
            of: .builtIn,
            limit: 1,
            worker: "test",
            leaseDuration: .seconds(60),
            now: self.time.now
        )
        let lease = try #require(claim.runs.first?.lease)
        _ = try await self.store.carryOut(lease, leaseDuration: .seconds(60), now: self.time.now)
    }

    private func rollOut() async throws {
        let claimed = try await self.store.claimRollouts(
            planner: "planner",
            limit: 1,
            leaseDuration: .seconds(15),
            now: self.time.now
        )
        var shard = RolloutPage(of: try #require(claimed.first).rollout)
        shard.installations = ["phone"]
        shard.withoutToken = 4
        shard.place = 5
        shard.lastPlace = 9
        shard.expected = 9
        _ = try await self.store.rollOut(shard, planner: "planner", leaseDuration: .seconds(15), now: self.time.now)
    }

    /// Enqueues two targets of each campaign that can begin.
    private func planCampaigns() async throws {
        let now = self.time.now
        for claimed in try await self.store.claimCampaigns(now: now) {
            let plan = CampaignFixtures.plan(claimed.campaign)
            try await self.store.advance(FanOutStep(campaign: claimed.campaign.id, plan: plan), now: now)
            let step = try CampaignFixtures.step(claimed.campaign, plan, targets: 0..<2, isLast: true, now: now)
            try await self.store.advance(step, now: now)
        }
    }

    private func post(to webhook: WebhookID) async throws {
        try await self.store.append([
            NewEvent(app: TestAPI.app, time: self.time.now, kind: EventType(rawValue: "sushi.served"), data: [:])
        ])
        _ = try await self.store.claimWebhooks(limit: 9, worker: "w", leaseDuration: .seconds(60), now: self.time.now)
        let end = try await self.store.latestEvent(of: TestAPI.app)
        let delivery = WebhookDeliveryAttempt(
            message: "msg_1",
            time: self.time.now,
            first: end,
            last: end,
            count: 1,
            attempt: 1,
            response: WebhookAttemptResult(failure: .tls, excerpt: "expired", duration: .seconds(1))
        )
        _ = try await self.store.settleWebhook(
            WebhookDeliveryUpdate(webhook: webhook, worker: "w", result: .advanced(to: end), delivery: delivery),
            now: self.time.now
        )
    }
}
