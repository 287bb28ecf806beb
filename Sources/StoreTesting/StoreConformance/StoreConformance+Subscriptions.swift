// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension StoreConformance {
    static let subscriptions = [
        Check("devices, users and URLs are subscribed once each, and found again as they were stored") { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<1)
            let samples = [
                TopicSamples.device(0, filter: TopicSamples.filter("寿司"), attributes: ["a": "ä"]),
                TopicSamples.subscription(.user(StoreSamples.app, "anna"), filter: TopicSamples.filter("寿司")),
                TopicSamples.subscription(
                    .url("https://example.com/?a=b"),
                    attributes: ["RawMessageDelivery": "true"],
                    state: .pending,
                    confirmation: [1, 2, 3]
                ),
            ]
            for sample in samples {
                try expectEqual(try await store.subscribe(sample), .created(sample), "what it comes to")
                let again = TopicSamples.subscription(sample.subscriber, filter: TopicSamples.filter("other"))
                try expectEqual(try await store.subscribe(again), .existing(sample), "what it comes to again")
                try expectEqual(try await store.subscription(sample.id), sample, "the subscription by its id")
                let found = try await store.subscription(of: sample.subscriber, to: "news")
                try expectEqual(found, sample, "the subscription by its subscriber")
            }
            let own = try await store.subscriptions(of: "device 0", app: StoreSamples.app)
            try expectEqual(own, [samples[0]], "those of the device")
            let counts = try await store.subscriptionCounts(of: "news", app: nil)
            try expectEqual(counts, SubscriptionCounts(confirmed: 2, pending: 1), "their number")
            let ofApp = try await store.subscriptionCounts(of: "news", app: StoreSamples.app)
            try expectEqual(ofApp, SubscriptionCounts(confirmed: 2), "their number for the app")
            try expectEqual(try await store.subscriptionCounts(of: "none", app: nil), nil, "their number for no topic")
        },
        Check("what does not exist is not subscribed, nor to what does not exist") { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<1)
            let unknown: [(Subscription, SubscribeOutcome)] = [
                (TopicSamples.device(0, to: "none"), .noTopic),
                (TopicSamples.device(9), .noSubscriber),
                (TopicSamples.device(0, app: "com.example.none"), .noSubscriber),
                (TopicSamples.subscription(.user("com.example.none", "anna")), .noSubscriber),
            ]
            for (subscription, outcome) in unknown {
                try expectEqual(try await store.subscribe(subscription), outcome, "\(subscription.subscriber)")
                let found = try await store.subscription(of: subscription.subscriber, to: subscription.topic)
                try expectEqual(found, nil, "what is stored of it")
            }
            try expectEqual(try await store.unsubscribe(unknown[0].0.id), nil, "what was ended")
            let changed = try await store.changeSubscription(unknown[0].0.id, policyLimit: 1) { $0.filter = nil }
            try expectEqual(changed, nil, "what was changed")
        },
        Check("a subscription to a URL waits for its token, and confirms but once") { store in
            try await store.makeTopic()
            let pending = TopicSamples.subscription(.url("http://example.com"), state: .pending, confirmation: [7])
            try await store.subscribe(pending)
            var confirmed = pending
            confirmed.state = .confirmed(isAuthenticated: false)
            let wrong = try await store.confirmSubscription(to: "news", token: [8], isAuthenticated: true)
            try expectEqual(wrong, nil, "what another token confirms")
            let first = try await store.confirmSubscription(to: "news", token: [7], isAuthenticated: false)
            try expectEqual(first, confirmed, "what the token confirms")
            let second = try await store.confirmSubscription(to: "news", token: [7], isAuthenticated: true)
            try expectEqual(second, confirmed, "what it confirms again")
            let old = TopicSamples.subscription(
                .url("http://example.com/old"),
                state: .pending,
                confirmation: [9],
                now: StoreSamples.after(-100)
            )
            try await store.subscribe(old)
            _ = try await store.pruneTopics(pendingBefore: StoreSamples.after(-99), limit: 100)
            try expectEqual(try await store.subscription(old.id), nil, "one that waited too long")
            try expectEqual(try await store.subscription(pending.id), confirmed, "one that is confirmed")
        },
        Check("a topic has no more URLs than it may have, those that have not confirmed included") { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.makeTopic("other")
            @Sendable func subscribe(_ number: Int, to topic: TopicName = "news") async throws -> SubscribeOutcome {
                let subscription = TopicSamples.subscription(
                    .url("http://example.com/\(number)"),
                    to: topic,
                    state: number == 1 ? .pending : .confirmed(isAuthenticated: true),
                    confirmation: [UInt8(number)]
                )
                return try await store.subscribe(subscription, policyLimit: 1, urlLimit: 3)
            }
            let first = try TopicSamples.created(try await subscribe(1))
            _ = try TopicSamples.created(try await subscribe(2))
            let outcomes = try await withThrowingTaskGroup(of: SubscribeOutcome.self) { group in
                for number in 3...8 { group.addTask { try await subscribe(number) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try expectEqual(outcomes.filter { $0 == .tooManyURLs }.count, 5, "how many are too many")
            try expectEqual(try await subscribe(1), .existing(first), "one that is subscribed already")
            let counts = try await store.subscriptionCounts(of: "news", app: nil)
            try expectEqual(counts, SubscriptionCounts(confirmed: 2, pending: 1), "their number")
            _ = try TopicSamples.created(try await subscribe(9, to: "other"))
            let user = TopicSamples.subscription(.user(StoreSamples.app, "anna"))
            try expectEqual(
                try await store.subscribe(user, policyLimit: 1, urlLimit: 3),
                .created(user),
                "one that is no URL"
            )
            try await store.unsubscribe(first.id)
            _ = try TopicSamples.created(try await subscribe(1))
        },
        Check("subscriptions are listed in the order in which they were made, of a topic, of an app, or all") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            try await store.makeTopic()
            try await store.makeTopic("other")
            try await store.addDevices(0..<7)
            var all: [Subscription] = []
            for number in 0..<7 {
                let subscription = Subscription(
                    id: SubscriptionID(now: StoreSamples.after(Double(number))),
                    topic: number % 3 == 0 ? "other" : "news",
                    subscriber: number % 2 == 0
                        ? .device(StoreSamples.app, InstallationID(unchecked: "device \(number)"))
                        : .user(StoreSamples.otherApp, UserID(unchecked: "user \(number)")),
                    createdAt: StoreSamples.now
                )
                try await store.subscribe(subscription)
                all.append(subscription)
            }
            let cases: [(TopicName?, AppID?)] = [
                (nil, nil), ("news", nil), (nil, StoreSamples.app), ("news", StoreSamples.otherApp), ("none", nil),
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
                try expectEqual(found, expected, "the subscriptions to \(topic?.rawValue ?? "all")")
            }
        },
        Check("filter and attributes of a subscription are changed, and a topic keeps each filter policy once") {
            store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<4)
            let subscription = TopicSamples.device(0, filter: TopicSamples.filter("a"))
            try await store.subscribe(subscription)
            try await store.subscribe(TopicSamples.device(1, filter: TopicSamples.filter("a")))
            try await store.subscribe(TopicSamples.device(2, filter: TopicSamples.filter("a", scope: .messageBody)))
            let outline = try await store.outline(of: "news", app: nil)
            let policies = outline?.policies.values.map(\.scope.rawValue).sorted()
            try expectEqual(policies, ["MessageAttributes", "MessageBody"], "the distinct policies")
            let changed = try await store.changeSubscription(subscription.id, policyLimit: 10) { changed in
                changed.filter = TopicSamples.filter("b")
                changed.attributes = ["x": "y"]
                changed.state = .pending
            }
            try expectEqual(changed?.filter, TopicSamples.filter("b"), "the filter as changed")
            try expectEqual(changed?.state, subscription.state, "the state, which cannot be changed")
            try expectEqual(try await store.subscription(subscription.id), changed, "the subscription as stored")
            let none = try await store.changeSubscription(subscription.id, policyLimit: 10) { $0.filter = nil }
            try expectEqual(none?.filter, nil, "no filter")
        },
        Check("a topic has so many distinct filter policies and no more, those aside that nobody has any more") {
            store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<4)
            let first = TopicSamples.device(0, filter: TopicSamples.filter("a"))
            _ = try await store.subscribe(first, policyLimit: 2)
            _ = try await store.subscribe(TopicSamples.device(1, filter: TopicSamples.filter("b")), policyLimit: 2)
            let third = TopicSamples.device(2, filter: TopicSamples.filter("c"))
            try expectEqual(try await store.subscribe(third, policyLimit: 2), .tooManyPolicies, "a third policy")
            let same = TopicSamples.device(3, filter: TopicSamples.filter("b"))
            try expectEqual(try await store.subscribe(same, policyLimit: 2), .created(same), "one that it has")
            do {
                _ = try await store.changeSubscription(same.id, policyLimit: 2) { $0.filter = TopicSamples.filter("c") }
                try expect(false, "A change to a third policy was not refused.")
            } catch let error as TooManyPolicies {
                try expectEqual(error.limit, 2, "the limit")
            }
            try await store.unsubscribe(first.id)
            try expectEqual(
                try await store.subscribe(third, policyLimit: 2),
                .created(third),
                "one in the place of another"
            )
        },
        Check("a subscription ends, or goes with its device, and both only once") { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<3)
            let samples = (0..<3).map { TopicSamples.device($0) }
            for sample in samples { try await store.subscribe(sample) }
            try expectEqual(try await store.unsubscribe(samples[0].id), samples[0], "what was ended")
            try expectEqual(try await store.unsubscribe(samples[0].id), nil, "what was ended again")
            try await store.removeDevice("device 1", of: StoreSamples.app)
            try expectEqual(try await store.subscription(samples[1].id), nil, "that of a device that was removed")
            // Another installation takes its token, so that this one is removed.
            let thief = try StoreSamples.registration("thief", token: 2)
            try await store.register(thief, now: StoreSamples.now)
            try expectEqual(try await store.subscription(samples[2].id), nil, "that of a device without a token")
            let counts = try await store.subscriptionCounts(of: "news", app: nil)
            try expectEqual(counts, SubscriptionCounts(deleted: 1), "their number")
        },
        Check("of many who subscribe the same at once one is first, and all are told the same") { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<1)
            let outcomes = try await withThrowingTaskGroup(of: SubscribeOutcome.self) { group -> [SubscribeOutcome] in
                for _ in 0..<8 {
                    group.addTask {
                        try await store.subscribe(TopicSamples.device(0, filter: TopicSamples.filter("a")))
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
                default: try expect(false, "\(outcome)")
                }
            }
            try expectEqual([created, ids.count], [1, 1], "how many are new, and different")
        },
    ]
}
