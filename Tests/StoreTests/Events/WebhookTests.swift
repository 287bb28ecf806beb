// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: webhooks", .timeLimit(.minutes(20)))
struct WebhookTests {
    @Test(
        "a webhook is kept as it was created, and listed with the others of its app",
        arguments: TestStoreBackend.allCases
    )
    func create(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let first = try StoreFixtures.webhook("wh_a")
            let second = try StoreFixtures.webhook("wh_b", kinds: [.deviceInvalidated, StoreFixtures.newKind])
            for webhook in [first, second] { try await store.createWebhook(webhook) }
            let firstWebhook = try await store.webhook("wh_a")
            #expect(firstWebhook == first, "the first")
            let webhooks = try await store.webhooks(of: StoreFixtures.app)
            #expect(webhooks == [first, second], "all")
            let webhooksOfOther = try await store.webhooks(of: StoreFixtures.otherApp)
            #expect(webhooksOfOther == [], "those of no app")
            try await expectError(.conflict, "the same id again") { try await store.createWebhook(first) }
            #expect(try await store.deleteWebhook("wh_a"), "deleting")
            #expect(try await !store.deleteWebhook("wh_a"), "deleting again")
            #expect(try await store.webhook("wh_a") == nil, "the deleted one")
            try await store.deleteApp(StoreFixtures.app)
            #expect(try await store.webhook("wh_b") == nil, "the one of the deleted app")
            try await expectError(.notFound, "one of no app") { try await store.createWebhook(first) }
        }
    }

    @Test("a webhook is changed by its owner", arguments: TestStoreBackend.allCases)
    func change(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.createWebhook(StoreFixtures.webhook(kinds: [StoreFixtures.newKind]))
            let url = try WebhookURL(validating: "https://other.example.com:8443/")
            let changes: [WebhookUpdate] = [.url(url), .kinds([.deviceSuspected]), .pause]
            let changed = try await store.changeWebhook("wh_1", changes, now: StoreFixtures.after(1))
            var expected = try StoreFixtures.webhook(kinds: [StoreFixtures.newKind])
            for change in changes { expected.apply(change, now: StoreFixtures.after(1)) }
            #expect(changed == expected, "the answer")
            let webhook = try await store.webhook("wh_1")
            #expect(webhook == expected, "the stored one")
            let all = try await store.changeWebhook("wh_1", [.kinds(nil), .activate], now: StoreFixtures.after(2))
            #expect(all?.kinds == nil, "the kinds")
            #expect(all?.state == .active, "the state")
            #expect(try await store.changeWebhook("wh_2", [.pause], now: StoreFixtures.now) == nil, "one that is not")
        }
    }

    @Test(
        "a webhook is claimed while it has events to get, by one worker at a time",
        arguments: TestStoreBackend.allCases
    )
    func claim(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.createWebhook(StoreFixtures.webhook("wh_a"))
            try await store.createWebhook(StoreFixtures.webhook("wh_b"))
            let webhooks = try await store.claimWebhooks()
            #expect(webhooks == [], "a claim without events")
            try await store.append([StoreFixtures.event(1)])
            let last = try await store.latestEvent(of: StoreFixtures.app)
            let one = try await store.claimWebhooks(limit: 1)
            #expect(one.map(\.id) == ["wh_a"], "the first claim")
            let other = try await store.claimWebhooks(by: StoreFixtures.otherWorker)
            #expect(other.map(\.id) == ["wh_b"], "the other worker's claim")
            let ids = try await store.claimWebhooks().map(\.id)
            #expect(ids == [], "a third claim")
            let settled = try await store.settleWebhook(
                StoreFixtures.settlement(of: "wh_a", .advanced(to: last)),
                now: StoreFixtures.after(1)
            )
            #expect(settled.cursor == last, "the cursor")
            let idsThen = try await store.claimWebhooks(now: StoreFixtures.after(59)).map(\.id)
            #expect(idsThen == [], "a claim too early")
            let lapsed = try await store.claimWebhooks(now: StoreFixtures.after(61))
            #expect(lapsed.map(\.id) == ["wh_b"], "what is claimed when the lease lapsed")
            try await expectError(.leaseLost, "settling by the one whose lease lapsed") {
                let late = StoreFixtures.settlement(of: "wh_b", worker: StoreFixtures.otherWorker, .advanced(to: last))
                return try await store.settleWebhook(late, now: StoreFixtures.after(62))
            }
            try await store.releaseWebhook("wh_b", worker: StoreFixtures.otherWorker)
            let claimedByStranger = try await store.claimWebhooks(now: StoreFixtures.after(62)).map(\.id)
            #expect(claimedByStranger == [], "a stranger's release")
            try await store.releaseWebhook("wh_b", worker: StoreFixtures.worker)
            let webhookCount = try await store.claimWebhooks(now: StoreFixtures.after(62)).count
            #expect(webhookCount == 1, "after a release")
        }
    }

    @Test(
        "a lease is kept by settling, and paused and deleted webhooks are not claimed",
        arguments: TestStoreBackend.allCases
    )
    func lease(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for id in ["wh_a", "wh_b", "wh_c"] {
                try await store.createWebhook(StoreFixtures.webhook(.init(unchecked: id)))
            }
            try await store.append([StoreFixtures.event(1), StoreFixtures.event(2)])
            _ = try await store.changeWebhook("wh_b", [.pause], now: StoreFixtures.now)
            let claimed = try await store.claimWebhooks()
            #expect(claimed.map(\.id) == ["wh_a", "wh_c"], "the claim")
            let first = try await store.allEvents()[0].cursor
            let kept = StoreFixtures.settlement(of: "wh_a", .advanced(to: first), keeping: .seconds(60))
            _ = try await store.settleWebhook(kept, now: StoreFixtures.after(50))
            let ids = try await store.claimWebhooks(now: StoreFixtures.after(70)).map(\.id)
            #expect(ids == ["wh_c"], "the lapsed")
            try await store.deleteWebhook("wh_a")
            try await expectError(.leaseLost, "settling a deleted one") {
                try await store.settleWebhook(kept, now: StoreFixtures.after(71))
            }
        }
    }

    @Test(
        "a failure is waited for, is counted, and the next attempt ends where it did",
        arguments: TestStoreBackend.allCases
    )
    func failure(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.createWebhook(StoreFixtures.webhook())
            try await store.append([StoreFixtures.event(1)])
            let end = try await store.latestEvent(of: StoreFixtures.app)
            _ = try await store.claimWebhooks()
            let failed = try await store.settleWebhook(
                StoreFixtures.settlement(StoreFixtures.failure(end)),
                now: StoreFixtures.after(1)
            )
            #expect(failed.consecutiveFailures == 1, "the failures")
            #expect(failed.retryTo == end, "the end of the next attempt")
            #expect(failed.failingSince == StoreFixtures.after(1), "since when it fails")
            let webhook = try await store.webhook("wh_1")
            #expect(webhook == failed, "the stored one")
            let webhookCount = try await store.claimWebhooks(now: StoreFixtures.after(60)).count
            #expect(webhookCount == 0, "a claim too early")
            let again = try await store.claimWebhooks(now: StoreFixtures.after(61))
            #expect(again == [failed], "the claim")
            let healed = try await store.settleWebhook(
                StoreFixtures.settlement(.advanced(to: end)),
                now: StoreFixtures.after(62)
            )
            #expect(healed.consecutiveFailures == 0, "the failures after a success")
            #expect(healed.failingSince == nil, "since when it fails after a success")
            #expect(healed.retryTo == nil, "the end of the next attempt after a success")
        }
    }

    @Test(
        "a webhook that fails for too long is disabled with an event, and goes on where it was",
        arguments: TestStoreBackend.allCases
    )
    func disable(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.createWebhook(StoreFixtures.webhook())
            try await store.append([StoreFixtures.event(1)])
            let end = try await store.latestEvent(of: StoreFixtures.app)
            for second: Double in [0, 1800, 3599, 3661] {
                let now = StoreFixtures.after(second)
                let webhookCount = try await store.claimWebhooks(now: now).count
                #expect(webhookCount == 1, "the claim after \(second) s")
                _ = try await store.settleWebhook(StoreFixtures.settlement(StoreFixtures.failure(end)), now: now)
            }
            let disabled = try #require(try await store.webhook("wh_1"), "the webhook")
            #expect(disabled.state == .disabled(reason: .failing, since: StoreFixtures.after(3661)), "the state")
            #expect(disabled.cursor == .beginning, "the cursor")
            let webhookCountThen = try await store.claimWebhooks(now: StoreFixtures.after(9999)).count
            #expect(webhookCountThen == 0, "a claim")
            let events = try await store.allEvents(kinds: [.webhookDisabled])
            #expect(
                events.map(\.data) == [
                    [
                        "webhook": "wh_1", "url": "https://hooks.example.com", "reason": "failing",
                        "consecutiveFailures": 4,
                        "since": "2026-01-01T00:00:00.000Z",
                    ]
                ],
                "the event"
            )
            _ = try await store.changeWebhook("wh_1", [.activate], now: StoreFixtures.after(9999))
            let claimed = try await store.claimWebhooks(now: StoreFixtures.after(9999))
            #expect(claimed.map(\.consecutiveFailures) == [0], "the failures after it was enabled")
            #expect(claimed.map(\.cursor) == [.beginning], "the cursor after it was enabled")
        }
    }

    @Test("a webhook whose receiver is gone is disabled at once", arguments: TestStoreBackend.allCases)
    func gone(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.createWebhook(StoreFixtures.webhook())
            try await store.append([StoreFixtures.event(1)])
            let end = try await store.latestEvent(of: StoreFixtures.app)
            _ = try await store.claimWebhooks()
            let gone = StoreFixtures.settlement(StoreFixtures.failure(end, isGone: true))
            let webhook = try await store.settleWebhook(gone, now: StoreFixtures.after(1))
            #expect(webhook.state == .disabled(reason: .gone, since: StoreFixtures.after(1)), "the state")
            let eventCount = try await store.allEvents(kinds: [.webhookDisabled]).count
            #expect(eventCount == 1, "the events")
        }
    }

    @Test("the last 100 requests to a receiver are kept, the youngest first", arguments: TestStoreBackend.allCases)
    func requests(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.createWebhook(StoreFixtures.webhook())
            try await store.append([StoreFixtures.event(1)])
            let end = try await store.latestEvent(of: StoreFixtures.app)
            _ = try await store.claimWebhooks()
            let answers = [
                WebhookAttemptResult(status: 204, duration: .milliseconds(12)),
                WebhookAttemptResult(failure: .deadline, excerpt: "寿司 late", duration: .seconds(10)),
            ]
            var told: [WebhookDeliveryAttempt] = []
            for attempt in 1...105 {
                let delivery = WebhookDeliveryAttempt(
                    message: "msg_\(attempt)",
                    time: StoreFixtures.after(Double(attempt)),
                    first: end,
                    last: end,
                    count: 1,
                    attempt: attempt,
                    response: answers[attempt % 2]
                )
                told.append(delivery)
                var settlement = StoreFixtures.settlement(.advanced(to: .beginning), keeping: .seconds(60))
                settlement.delivery = delivery
                _ = try await store.settleWebhook(settlement, now: StoreFixtures.after(1))
            }
            let kept = try await store.webhookDeliveries(of: "wh_1", limit: 100)
            #expect(kept == told.suffix(100).reversed(), "the requests")
            let few = try await store.webhookDeliveries(of: "wh_1", limit: 2)
            #expect(few.map(\.message) == ["msg_105", "msg_104"], "the last two")
            let webhookDeliveries = try await store.webhookDeliveries(of: "wh_2", limit: 2)
            #expect(webhookDeliveries == [], "those of no webhook")
        }
    }
}
