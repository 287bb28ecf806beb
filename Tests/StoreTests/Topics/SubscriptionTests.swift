// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: subscriptions", .timeLimit(.minutes(20)))
struct SubscriptionTests {
    @Test(
        "devices, users and URLs are subscribed once each, and found again as they were stored",
        arguments: TestStoreBackend.allCases
    )
    func subscribe(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<1)
            let samples = [
                TopicFixtures.device(0, filter: TopicFixtures.filter("寿司"), attributes: ["a": "ä"]),
                TopicFixtures.subscription(.user(StoreFixtures.app, "anna"), filter: TopicFixtures.filter("寿司")),
                TopicFixtures.subscription(
                    .url("https://example.com/?a=b"),
                    attributes: ["RawMessageDelivery": "true"],
                    state: .pending,
                    confirmation: [1, 2, 3],
                    sealedUser: [0, 255]
                ),
            ]
            for sample in samples {
                let outcome = try await store.subscribe(sample)
                #expect(outcome == .created(sample), "what it comes to")
                let again = TopicFixtures.subscription(sample.subscriber, filter: TopicFixtures.filter("other"))
                let outcomeAgain = try await store.subscribe(again)
                #expect(outcomeAgain == .existing(sample), "what it comes to again")
                let foundID = try await store.subscription(sample.id)
                #expect(foundID == sample, "the subscription by its id")
                let found = try await store.subscription(of: sample.subscriber, to: "news")
                #expect(found == sample, "the subscription by its subscriber")
            }
            let counts = try await store.subscriptionCounts(of: "news", app: nil)
            #expect(counts == SubscriptionCounts(confirmed: 2, pending: 1), "their number")
            let ofApp = try await store.subscriptionCounts(of: "news", app: StoreFixtures.app)
            #expect(ofApp == SubscriptionCounts(confirmed: 2), "their number for the app")
            #expect(try await store.subscriptionCounts(of: "none", app: nil) == nil, "their number for no topic")
        }
    }

    @Test("what does not exist is not subscribed, nor to what does not exist", arguments: TestStoreBackend.allCases)
    func unknown(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<1)
            let unknown: [(Subscription, SubscribeResult)] = [
                (TopicFixtures.device(0, to: "none"), .noTopic),
                (TopicFixtures.device(9), .noSubscriber),
                (TopicFixtures.device(0, app: "com.example.none"), .noSubscriber),
                (TopicFixtures.subscription(.user("com.example.none", "anna")), .noSubscriber),
            ]
            for (subscription, outcome) in unknown {
                let outcomeThen = try await store.subscribe(subscription)
                #expect(outcomeThen == outcome, "\(subscription.subscriber)")
                let found = try await store.subscription(of: subscription.subscriber, to: subscription.topic)
                #expect(found == nil, "what is stored of it")
            }
            #expect(try await store.unsubscribe(unknown[0].0.id) == nil, "what was ended")
            let changed = try await store.changeSubscription(unknown[0].0.id, policyLimit: 1) { $0.filter = nil }
            #expect(changed == nil, "what was changed")
        }
    }

    @Test("a subscription to a URL waits for its token, and confirms but once", arguments: TestStoreBackend.allCases)
    func confirm(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.makeTopic()
            let pending = TopicFixtures.subscription(.url("http://example.com"), state: .pending, confirmation: [7])
            try await store.subscribe(pending)
            var confirmed = pending
            confirmed.state = .confirmed(isAuthenticated: false)
            let wrong = try await store.confirmSubscription(to: "news", token: [8], isAuthenticated: true)
            #expect(wrong == nil, "what another token confirms")
            let first = try await store.confirmSubscription(to: "news", token: [7], isAuthenticated: false)
            #expect(first == confirmed, "what the token confirms")
            let second = try await store.confirmSubscription(to: "news", token: [7], isAuthenticated: true)
            #expect(second == confirmed, "what it confirms again")
            let old = TopicFixtures.subscription(
                .url("http://example.com/old"),
                state: .pending,
                confirmation: [9],
                now: StoreFixtures.after(-100)
            )
            try await store.subscribe(old)
            _ = try await store.pruneTopics(pendingBefore: StoreFixtures.after(-99), limit: 100)
            #expect(try await store.subscription(old.id) == nil, "one that waited too long")
            let subscription = try await store.subscription(pending.id)
            #expect(subscription == confirmed, "one that is confirmed")
        }
    }

    @Test(
        "a topic has no more URLs than it may have, those that have not confirmed included",
        arguments: TestStoreBackend.allCases
    )
    func maximumURLs(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.makeTopic("other")
            @Sendable func subscribe(_ number: Int, to topic: TopicName = "news") async throws -> SubscribeResult {
                let subscription = TopicFixtures.subscription(
                    .url("http://example.com/\(number)"),
                    to: topic,
                    state: number == 1 ? .pending : .confirmed(isAuthenticated: true),
                    confirmation: [UInt8(number)]
                )
                return try await store.subscribe(subscription, policyLimit: 1, urlLimit: 3)
            }
            let first = try TopicFixtures.created(try await subscribe(1))
            _ = try TopicFixtures.created(try await subscribe(2))
            let outcomes = try await withThrowingTaskGroup(of: SubscribeResult.self) { group in
                for number in 3...8 { group.addTask { try await subscribe(number) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == .tooManyURLs }.count == 5, "how many are too many")
            let outcome = try await subscribe(1)
            #expect(outcome == .existing(first), "one that is subscribed already")
            let counts = try await store.subscriptionCounts(of: "news", app: nil)
            #expect(counts == SubscriptionCounts(confirmed: 2, pending: 1), "their number")
            _ = try TopicFixtures.created(try await subscribe(9, to: "other"))
            let user = TopicFixtures.subscription(.user(StoreFixtures.app, "anna"))
            let outcomeOfUser = try await store.subscribe(user, policyLimit: 1, urlLimit: 3)
            #expect(outcomeOfUser == .created(user), "one that is no URL")
            try await store.unsubscribe(first.id)
            _ = try TopicFixtures.created(try await subscribe(1))
        }
    }

    @Test(
        "subscriptions are listed in the order in which they were made, of a topic, of an app, or all",
        arguments: TestStoreBackend.allCases
    )
    func list(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.makeTopic()
            try await store.makeTopic("other")
            try await store.addDevices(0..<7)
            var all: [Subscription] = []
            for number in 0..<7 {
                let subscription = Subscription(
                    id: SubscriptionID(now: StoreFixtures.after(Double(number))),
                    topic: number % 3 == 0 ? "other" : "news",
                    subscriber: number % 2 == 0
                        ? .device(StoreFixtures.app, DeviceID(unchecked: "device \(number)"))
                        : .user(StoreFixtures.otherApp, UserID(unchecked: "user \(number)")),
                    createdAt: StoreFixtures.now
                )
                try await store.subscribe(subscription)
                all.append(subscription)
            }
            let cases: [(TopicName?, AppID?)] = [
                (nil, nil), ("news", nil), (nil, StoreFixtures.app), ("news", StoreFixtures.otherApp), ("none", nil),
            ]
            for (topic, app) in cases {
                let expected = all.filter {
                    topic ?? $0.topic == $0.topic && app ?? $0.subscriber.app == $0.subscriber.app
                }
                var found: [Subscription] = []
                var cursor: SubscriptionID?
                repeat {
                    let page = try await store.subscriptions(to: topic, of: app, after: cursor, limit: 2)
                    found += page.elements
                    cursor = page.next
                } while cursor != nil
                #expect(found == expected, "the subscriptions to \(topic?.rawValue ?? "all")")
            }
        }
    }

    @Test(
        "filter and attributes of a subscription are changed, and a topic keeps each filter policy once",
        arguments: TestStoreBackend.allCases
    )
    func change(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<4)
            let subscription = TopicFixtures.device(0, filter: TopicFixtures.filter("a"))
            try await store.subscribe(subscription)
            try await store.subscribe(TopicFixtures.device(1, filter: TopicFixtures.filter("a")))
            try await store.subscribe(TopicFixtures.device(2, filter: TopicFixtures.filter("a", scope: .messageBody)))
            let outline = try await store.outline(of: "news", app: nil)
            let policies = outline?.policies.values.map(\.scope.rawValue).sorted()
            #expect(policies == ["MessageAttributes", "MessageBody"], "the distinct policies")
            let changed = try await store.changeSubscription(subscription.id, policyLimit: 10) { changed in
                changed.filter = TopicFixtures.filter("b")
                changed.attributes = ["x": "y"]
                changed.state = .pending
            }
            #expect(changed?.filter == TopicFixtures.filter("b"), "the filter as changed")
            #expect(changed?.state == subscription.state, "the state, which cannot be changed")
            let subscriptionStored = try await store.subscription(subscription.id)
            #expect(subscriptionStored == changed, "the subscription as stored")
            let none = try await store.changeSubscription(subscription.id, policyLimit: 10) { $0.filter = nil }
            #expect(none?.filter == nil, "no filter")
        }
    }

    @Test(
        "a topic has so many distinct filter policies and no more, those aside that nobody has any more",
        arguments: TestStoreBackend.allCases
    )
    func maximumPolicies(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<4)
            let first = TopicFixtures.device(0, filter: TopicFixtures.filter("a"))
            _ = try await store.subscribe(first, policyLimit: 2)
            _ = try await store.subscribe(TopicFixtures.device(1, filter: TopicFixtures.filter("b")), policyLimit: 2)
            let third = TopicFixtures.device(2, filter: TopicFixtures.filter("c"))
            let outcome = try await store.subscribe(third, policyLimit: 2)
            #expect(outcome == .tooManyPolicies, "a third policy")
            let same = TopicFixtures.device(3, filter: TopicFixtures.filter("b"))
            let outcomeOfSame = try await store.subscribe(same, policyLimit: 2)
            #expect(outcomeOfSame == .created(same), "one that it has")
            do {
                _ = try await store.changeSubscription(same.id, policyLimit: 2) {
                    $0.filter = TopicFixtures.filter("c")
                }
                Issue.record("A change to a third policy was not refused.")
            } catch let error as TooManyPoliciesError {
                #expect(error.limit == 2, "the limit")
            }
            try await store.unsubscribe(first.id)
            let outcomeOfThird = try await store.subscribe(third, policyLimit: 2)
            #expect(outcomeOfThird == .created(third), "one in the place of another")
        }
    }

    @Test("a subscription ends, or goes with its device, and both only once", arguments: TestStoreBackend.allCases)
    func unsubscribe(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<3)
            let samples = (0..<3).map { TopicFixtures.device($0) }
            for sample in samples { try await store.subscribe(sample) }
            let ended = try await store.unsubscribe(samples[0].id)
            #expect(ended == samples[0], "what was ended")
            #expect(try await store.unsubscribe(samples[0].id) == nil, "what was ended again")
            try await store.removeDevice("device 1", of: StoreFixtures.app)
            #expect(try await store.subscription(samples[1].id) == nil, "that of a device that was removed")
            // Another installation takes its token, so that this one is removed.
            let thief = try StoreFixtures.registration("thief", token: 2)
            try await store.register(thief, now: StoreFixtures.now)
            #expect(try await store.subscription(samples[2].id) == nil, "that of a device without a token")
            let counts = try await store.subscriptionCounts(of: "news", app: nil)
            #expect(counts == SubscriptionCounts(deleted: 1), "their number")
        }
    }

    @Test(
        "of many who subscribe the same at once one is first, and all are told the same",
        arguments: TestStoreBackend.allCases
    )
    func concurrentSubscribers(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<1)
            let outcomes = try await withThrowingTaskGroup(of: SubscribeResult.self) { group -> [SubscribeResult] in
                for _ in 0..<8 {
                    group.addTask {
                        try await store.subscribe(TopicFixtures.device(0, filter: TopicFixtures.filter("a")))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            var ids: Set<SubscriptionID> = []
            var created = 0
            for outcome in outcomes {
                switch outcome {
                case .created(let subscription):
                    created += 1
                    ids.insert(subscription.id)
                case .existing(let subscription): ids.insert(subscription.id)
                default: Issue.record("\(outcome)")
                }
            }
            #expect([created, ids.count] == [1, 1], "how many are new, and different")
        }
    }
}
