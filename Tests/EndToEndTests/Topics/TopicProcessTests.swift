// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import apus

@Suite("What is published to a topic", .timeLimit(.minutes(20)))
struct TopicProcessTests {
    private static let topics = "/v1/apps/\(ServerInTest.app)/topics"

    private struct Publication: Decodable {
        struct Notification: Decodable {
            let targetCount: Int
            let counts: CampaignResponse.Progress.Counts
        }
        let notification: Notification?
        let campaign: CampaignResponse?
    }

    @Test("lies on the phones whose filters it passes, and on no others")
    func filters() async throws {
        try await ServerInTest.with { simulator, running in
            var phones: [String: VirtualDeviceID] = [:]
            for (name, more) in [
                ("goals", ""), ("cards", ""), ("told", #","topics":["match"]"#), ("annas", #","userID":"anna""#),
            ] {
                let phone = try simulator.bootDevice(apps: [ServerInTest.app])
                let token = try #require(phone.apps.first?.tokens.values.first)
                let body = #"{"token":"\#(token.hex)","environment":"sandbox"\#(more)}"#
                let path = "/v1/apps/\(ServerInTest.app)/devices/\(name)"
                _ = try await running.api.call(.put, path, body: Data(body.utf8))
                phones[name] = phone.id
            }
            _ = try await running.api.call(.put, "\(Self.topics)/match")
            for body in [
                #"{"device":"goals","filter":{"kind":["goal"]}}"#, #"{"device":"cards","filter":{"kind":["card"]}}"#,
                #"{"user":"anna","filter":{"minute":[{"numeric":["<",45]}]}}"#,
            ] {
                _ = try await running.api.call(.post, "\(Self.topics)/match/subscriptions", body: Data(body.utf8))
            }
            let message = #"{"attributes":{"kind":"goal","minute":17},"notification":{"title":"1:0"}}"#
            let path = "\(Self.topics)/match/notifications?wait=true"
            let answer: Publication = try await running.api.call(.post, path, body: Data(message.utf8)).decoded()
            #expect(answer.notification?.counts.delivered == 3)
            let reached = phones.filter { _, id in simulator.device(id)?.notifications.isEmpty == false }
            #expect(Set(reached.keys) == ["goals", "told", "annas"])
        }
    }

    @Test("reaches every subscriber of very many when the server is killed", arguments: TestStoreBackend.allCases)
    func killed(store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: Batch.maximumTargets) { stage, tally in
            try await Self.subscribeAll(of: stage)
            let first = try await stage.start()
            try await first.addCredential(stage.simulator)
            let campaign = try await Self.publish(on: first)
            await tally.take(stage.devices / 3)
            await first.kill()

            let second = try await stage.start()
            await tally.takeAll()
            stage.expectAllDelivered(try await second.settled(campaign))
            #expect(await second.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.most <= 2)
        }
    }

    @Test("reaches those that are subscribed when it is their turn", arguments: TestStoreBackend.allCases)
    func leaving(store: TestStoreBackend) async throws {
        let left = Batch.maximumTargets
        try await CampaignStage.open(on: store, devices: left + 2) { stage, tally in
            let ids = try await Self.subscribeAll(of: stage)
            // Nobody plans yet.
            var idle = try await stage.server.start(with: "none")
            try await idle.addCredential(stage.simulator)
            let campaign = try await Self.publish(on: idle)
            _ = try await idle.api.call(.delete, "/v1/apps/\(ServerInTest.app)/subscriptions/\(ids[0])")
            _ = try await idle.api.call(.delete, "/v1/apps/\(ServerInTest.app)/devices/installation-1")
            #expect(await idle.process.stop() == 0)

            var busy = try await stage.start()
            await tally.take(left)
            let answer = try await busy.settled(campaign)
            #expect(answer.progress.state == "completed")
            #expect(answer.progress.counts.delivered == left)
            #expect(await busy.process.stop() == 0)

            idle = try await stage.server.start(with: "none")
            let deleted = try await Self.publish(on: idle)
            _ = try await idle.api.call(.delete, "\(Self.topics)/match")
            #expect(await idle.process.stop() == 0)
            busy = try await stage.start()
            let none = try await busy.settled(deleted)
            #expect(none.progress.state == "completed")
            #expect(none.progress.enqueued == 0)
            #expect(await busy.process.stop() == 0)
        }
    }

    private static func publish(on server: ServerInTest.Running) async throws -> CampaignResponse {
        let message = #"{"attributes":{"kind":"goal"},"notification":{"title":"1:0"}}"#
        let path = "\(self.topics)/match/notifications"
        let answer: Publication = try await server.api.call(.post, path, body: Data(message.utf8)).decoded()
        return try #require(answer.campaign)
    }

    /// Subscribes all devices of a stage.
    ///
    /// Many at once, since those that are stored at the same time share a commit.
    ///
    /// - Returns: the ids of the subscriptions.
    @discardableResult
    private static func subscribeAll(of stage: CampaignStage) async throws -> [SubscriptionID] {
        let ids = (0..<stage.devices).map { _ in SubscriptionID(now: Date()) }
        try await stage.server.withStore { store in
            _ = try await store.createTopic("match", attributes: [:], tags: [:], for: nil, now: Date())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, id) in ids.enumerated() {
                    if number >= 64 { try await group.next() }
                    group.addTask {
                        let subscription = Subscription(
                            id: id,
                            topic: "match",
                            subscriber: .device(
                                "com.example.app",
                                DeviceID(unchecked: "installation-\(number)")
                            ),
                            filter: SubscriptionFilter(policy: #"{"kind":["goal"]}"#),
                            createdAt: Date()
                        )
                        _ = try await store.subscribe(subscription, policyLimit: 1)
                    }
                }
                try await group.waitForAll()
            }
        }
        return ids
    }
}
