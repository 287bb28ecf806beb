// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Crypto
import Foundation
import PushModel
import PushStore
import Testing
import Webhooks

@Suite("Posting", .timeLimit(.minutes(20)))
struct PostingTests {
    @Test("events arrive in their order, a limited number in each request")
    func order() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                stage.configuration.maximumEvents = 3
                try await stage.addWebhook(of: receiver)
                try await stage.append(0..<10)
                try await stage.post { [stage] in
                    let requests = try await receiver.next(4)
                    #expect(requests.map(\.numbers) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]])
                    let end = try await stage.store.latestEvent(of: WebhookStage.app)
                    try await stage.webhook { $0.cursor == end }
                    try await stage.append(10..<12)
                    #expect(try await receiver.next().numbers == [10, 11])
                }
                let deliveries = try await stage.store.webhookDeliveries(of: "wh_1", limit: 10)
                #expect(deliveries.map(\.count) == [2, 1, 3, 3, 3])
                #expect(deliveries.allSatisfy { $0.response.status == 204 && $0.attempt == 1 })
            }
        }
    }

    @Test("the signature is the HMAC of id, timestamp and body, and so is that of another time")
    func signature() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                let (_, secret) = try await stage.addWebhook(of: receiver)
                try await stage.append([1])
                try await stage.post {
                    let request = try await receiver.next()
                    #expect(secret.text.hasPrefix("whsec_"))
                    let key = try #require(Data(base64Encoded: String(secret.text.dropFirst(6))))
                    #expect(key.count == 32)
                    let seconds = Int(TestDateSource.beginning.timeIntervalSince1970)
                    #expect(request.text("webhook-timestamp") == "\(seconds)")
                    let signed = Data("\(request.text("webhook-id")).\(seconds).".utf8) + request.body
                    let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
                    #expect(request.text("webhook-signature") == "v1,\(Data(code).base64EncodedString())")
                    #expect(request.text("content-type") == "application/json")
                    #expect(request.text("host") == "hooks.example.com:\(receiver.port)")
                }
            }
        }
    }

    @Test("a body is the events as the feed has them")
    func content() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                try await stage.addWebhook(of: receiver)
                try await stage.append([7])
                let feed = try await stage.store.events(of: WebhookStage.app, after: nil, limit: 1, kinds: nil)
                try await stage.post {
                    let request = try await receiver.next()
                    #expect(request.events == feed.events.map(\.json))
                }
            }
        }
    }

    @Test("kinds that a webhook does not want are passed over without a request")
    func kinds() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                try await stage.addWebhook(of: receiver, kinds: [.sushiEaten])
                try await stage.append(0..<5)
                try await stage.append([5], kind: .sushiEaten)
                try await stage.append(6..<9)
                try await stage.post { [stage] in
                    #expect(try await receiver.next().numbers == [5])
                    let end = try await stage.store.latestEvent(of: WebhookStage.app)
                    try await stage.webhook { $0.cursor == end }
                    try await stage.append([9])
                    let later = try await stage.store.latestEvent(of: WebhookStage.app)
                    try await stage.webhook { $0.cursor == later }
                }
                #expect(try await stage.store.webhookDeliveries(of: "wh_1", limit: 10).count == 1)
            }
        }
    }

    @Test("two services on one store post every event once and in order")
    func lease() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                stage.configuration.maximumEvents = 2
                stage.configuration.requestsPerTurn = 2
                try await stage.addWebhook(of: receiver)
                try await stage.post(workers: ["webhooks-1", "webhooks-2"]) { [stage] in
                    for start in stride(from: 0, to: 40, by: 4) { try await stage.append(start..<start + 4) }
                    var numbers: [Int] = []
                    while numbers.count < 40 { numbers += try await receiver.next().numbers }
                    #expect(numbers == Array(0..<40))
                    let end = try await stage.store.latestEvent(of: WebhookStage.app)
                    try await stage.webhook { $0.cursor == end }
                }
            }
        }
    }

    @Test("at a shutdown the request that is on its way is answered and settled, and the lease given back")
    func shutdown() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                stage.configuration.maximumEvents = 1
                try await stage.addWebhook(of: receiver)
                try await stage.append(0..<200)
                try await stage.post {
                    let request = try await receiver.next()
                    #expect(request.numbers == [0])
                }
                let webhook = try #require(try await stage.store.webhook("wh_1"))
                let deliveries = try await stage.store.webhookDeliveries(of: "wh_1", limit: 100)
                #expect(webhook.cursor == deliveries.first?.last)
                let claimed = try await stage.store.claimWebhooks(
                    limit: 1,
                    worker: "webhooks-2",
                    leaseDuration: .seconds(1),
                    now: stage.now.date
                )
                #expect(claimed.map(\.id) == ["wh_1"])
            }
        }
    }

    @Test("a test posts one event at once, whatever the webhook's state is")
    func test() async throws {
        try await HookReceiver.run { receiver in
            try await WebhookStage.open { stage in
                try await stage.addWebhook(of: receiver, kinds: [.sushiEaten])
                let paused = try await stage.store.changeWebhook("wh_1", [.pause], now: stage.now.date)
                let webhook = try #require(paused)
                receiver.react(.answer(202), .answer(500, body: "broken"))
                let first = await stage.sender.test(webhook)
                #expect(first.isSuccess && first.status == 202 && first.failure == nil)
                let request = try await receiver.next()
                #expect(request.events.map { $0["type"] } == ["webhook.test"])
                #expect(request.text("webhook-id").hasPrefix("msg_test_"))
                let second = await stage.sender.test(webhook)
                #expect(!second.isSuccess && second.status == 500 && second.excerpt == "broken")
            }
        }
    }
}
