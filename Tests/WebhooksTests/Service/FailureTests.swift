// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing
import Webhooks
import Work

@Suite("Receivers that fail", .timeLimit(.minutes(20)))
struct FailureTests {
    @Test("a request that failed is repeated after a while: the same message, signed anew, though more has happened")
    func retry() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                receiver.react(.answer(503), .answer(500))
                try await stage.addWebhook(of: receiver)
                try await stage.append(0..<2)
                try await stage.post { [stage] in
                    let first = try await receiver.next()
                    try await stage.webhook { $0.consecutiveFailures == 1 }
                    try await stage.append(2..<4)
                    // The wait is 5 to 6.25 seconds, then twice that.
                    try await stage.poll(after: .seconds(7))
                    let second = try await receiver.next()
                    let failed = try await stage.webhook { $0.consecutiveFailures == 2 }
                    let wait = failed.nextAttemptAt.timeIntervalSince(stage.now.date)
                    #expect((10...12.5).contains(wait))
                    try await stage.poll(after: .seconds(13))
                    let third = try await receiver.next()
                    #expect([first, second, third].map(\.numbers) == [[0, 1], [0, 1], [0, 1]])
                    #expect(Set([first, second, third].map { $0.text("webhook-id") }).count == 1)
                    #expect(Set([first, second, third].map { $0.text("webhook-timestamp") }).count == 3)
                    #expect(Set([first, second, third].map { $0.text("webhook-signature") }).count == 3)
                    #expect(try await receiver.next().numbers == [2, 3])
                    try await stage.webhook { $0.consecutiveFailures == 0 && $0.failingSince == nil }
                }
                let deliveries = try await stage.store.webhookDeliveries(of: "wh_1", limit: 10)
                #expect(deliveries.map(\.attempt) == [1, 3, 2, 1])
                #expect(deliveries.map(\.response.status) == [204, 204, 500, 503])
            }
        }
    }

    @Test("a receiver whose stored count of failures is corrupt is tried again after the longest wait")
    func damagedCount() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                let damaged = WebhookStage(store: CorruptCountStore(base: stage.store))
                receiver.react(.answer(503))
                try await damaged.addWebhook(of: receiver)
                try await damaged.append([0])
                try await damaged.post {
                    #expect(try await receiver.next().numbers == [0])
                    let failed = try await damaged.webhook { $0.consecutiveFailures == 1 }
                    let wait = failed.nextAttemptAt.timeIntervalSince(damaged.now.date)
                    #expect((3600...4500).contains(wait))
                }
            }
        }
    }

    @Test("a receiver that does not answer holds up no other, and has failed after the deadline")
    func hanging() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                receiver.react(.hang)
                try await stage.addWebhook("wh_a", of: receiver, kinds: [.sushiServed])
                try await stage.append([0])
                try await stage.post { [stage] in
                    #expect(try await receiver.next().numbers == [0])
                    try await stage.addWebhook("wh_b", of: receiver)
                    try await stage.append([1])
                    #expect(try await receiver.next().numbers == [1])
                    let end = try await stage.store.latestEvent(of: WebhookStage.app)
                    try await stage.webhook("wh_b") { $0.cursor == end }
                    // The deadline of the one that hangs.
                    try await stage.clock.fire(timerDueIn: .seconds(10), alsoAdvancing: stage.now)
                    let failed = try await stage.webhook("wh_a") { $0.consecutiveFailures == 1 }
                    #expect(failed.state == .active)
                }
                let deliveries = try await stage.store.webhookDeliveries(of: "wh_a", limit: 1)
                #expect(deliveries.map(\.response.failure) == [.deadline])
            }
        }
    }

    @Test("a receiver that is gone is disabled at once, with an event")
    func gone() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                receiver.react(.answer(410))
                try await stage.addWebhook(of: receiver)
                try await stage.append([0])
                try await stage.post { [stage] in
                    let webhook = try await stage.webhook { $0.state != .active }
                    #expect(webhook.state == .disabled(reason: .gone, since: stage.now.date))
                    _ = try await stage.store.changeWebhook("wh_1", [.activate], now: stage.now.date)
                    let requests = try await receiver.next(2)
                    #expect(requests[1].numbers == [0])
                    #expect(try await receiver.next().events.map { $0["type"] } == ["webhook.disabled"])
                }
            }
        }
    }

    @Test("a receiver that fails for three days is disabled, and keeps its place")
    func tooLong() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                receiver.react(.answer(500), .answer(500), .answer(500))
                let (webhook, _) = try await stage.addWebhook(of: receiver)
                try await stage.append([0])
                try await stage.post { [stage] in
                    try await stage.webhook { $0.consecutiveFailures == 1 }
                    try await stage.poll(after: .seconds(3 * 24 * 3600 - 1))
                    let second = try await stage.webhook { $0.consecutiveFailures == 2 }
                    #expect(second.state == .active)
                    try await stage.poll(after: .seconds(3600))
                    let third = try await stage.webhook { $0.consecutiveFailures == 3 }
                    #expect(third.state == .disabled(reason: .failing, since: stage.now.date))
                    #expect(third.cursor == webhook.cursor)
                }
            }
        }
    }

    @Test("a redirect is a failure, and is not followed")
    func redirect() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                receiver.react(.redirect(to: "http://127.0.0.1:\(receiver.port)/other"))
                let (webhook, _) = try await stage.addWebhook(of: receiver)
                #expect(await stage.sender.test(webhook).status == 302)
                _ = try await receiver.next()
                #expect(await stage.sender.test(webhook).status == 204)
                #expect(try await receiver.next().text("webhook-id").hasPrefix("msg_test_"))
            }
        }
    }

    @Test("an answer without end is read no further than its beginning")
    func endless() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                receiver.react(.talkForEver)
                let (webhook, _) = try await stage.addWebhook(of: receiver)
                #expect(await stage.sender.test(webhook).status == 200)
            }
        }
    }

    @Test(
        "a receiver on a private network is not connected to, whatever it is called",
        arguments: [
            ("hooks.example.com", "127.0.0.1"), ("hooks.example.com", "10.0.0.1"), ("127.0.0.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"), ("[::1]", "::1"), ("hooks.example.com", "::ffff:127.0.0.1"),
        ]
    )
    func privateNetwork(host: String, address: String) async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                stage.configuration.allowsPrivateNetworks = false
                stage.hosts[host.filter { !"[]".contains($0) }] = address
                let (webhook, _) = try await stage.addWebhook(url: "http://\(host):\(receiver.port)/")
                let answer = await stage.sender.test(webhook)
                #expect(answer.failure == .privateAddress)
                #expect(answer.status == nil)
            }
        }
    }

    @Test("a receiver that refuses the connection, and a host without an address, are failures of their own")
    func unreachable() async throws {
        try await WebhookStage.open { stage in
            stage.hosts["nowhere.example.com"] = "none"
            let (lost, _) = try await stage.addWebhook("wh_a", url: "http://nowhere.example.com/")
            #expect(await stage.sender.test(lost).failure == .unresolved)
            let (refused, _) = try await stage.addWebhook("wh_b", url: "http://hooks.example.com:1/")
            #expect(await stage.sender.test(refused).failure == .connection)
        }
    }

    @Test("a secret that was sealed under another master key is a failure that says so")
    func otherMasterKey() async throws {
        try await WebhookStage.open { stage in
            let (webhook, _) = try await stage.addWebhook(url: "http://hooks.example.com:1/", sealedWith: .generate())
            let answer = await stage.sender.test(webhook)
            #expect(answer.failure == .secret)
            #expect(answer.excerpt?.contains("master key") == true)
        }
    }

    @Test("the wait doubles from 5 seconds up to an hour, and is up to a quarter longer", arguments: 1...20)
    func backoff(failures: Int) {
        var generator = SystemRandomNumberGenerator()
        let full = min(3600, 5 * Double(1 << (failures - 1)))
        for _ in 0..<20 {
            let delay = WebhookConfiguration().backoff.delay(after: failures, using: &generator) / .seconds(1)
            #expect((full...full * 1.25).contains(delay))
        }
    }
}

/// A store that gives webhooks with the greatest number of failures to those who post to them.
private struct CorruptCountStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    func claimWebhooks(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [Webhook] {
        try await self.base.claimWebhooks(limit: limit, worker: worker, leaseDuration: leaseDuration, now: now)
            .map { webhook in
                Webhook(
                    id: webhook.id,
                    app: webhook.app,
                    url: webhook.url,
                    kinds: webhook.kinds,
                    sealedSecret: webhook.sealedSecret,
                    createdAt: webhook.createdAt,
                    cursor: webhook.cursor,
                    consecutiveFailures: .max
                )
            }
    }
}
