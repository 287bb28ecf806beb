// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let topics = [
        Check("a topic is made once, found, listed by name and changed") { store in
            try await store.addSampleApp()
            let made = try await store.createTopic(
                "news",
                attributes: ["DisplayName": "寿司"],
                tags: ["team": "a"],
                for: nil,
                now: StoreSamples.now
            )
            try expectEqual(made.isNew, true, "whether it is new")
            try expectEqual(made.topic.attributes, ["DisplayName": "寿司"], "its attributes")
            try expectEqual(made.topic.tags, ["team": "a"], "its tags")
            try expectEqual(made.topic.createdAt, StoreSamples.now, "when it was made")
            let again = try await store.createTopic(
                "news",
                attributes: ["DisplayName": "other"],
                tags: [:],
                for: nil,
                now: StoreSamples.after(5)
            )
            try expectEqual(again.isNew, false, "whether it is new the second time")
            try expectEqual(again.topic, made.topic, "the topic the second time")
            try await store.makeTopic("alpha")
            try await store.makeTopic("zulu")
            let first = try await store.topics(of: nil, after: nil, limit: 2)
            try expectEqual(first.elements.map(\.name), ["alpha", "news"], "the first page")
            let second = try await store.topics(of: nil, after: first.next, limit: 2)
            try expectEqual(second.elements.map(\.name), ["zulu"], "the second page")
            try expectEqual(second.next, nil, "what follows it")
            let changed = try await store.changeTopic("news") { topic in
                topic.attributes["DisplayName"] = nil
                topic.tags["team"] = "b"
            }
            try expectEqual(changed?.attributes, [:], "the attributes as changed")
            try expectEqual(try await store.topic("news", of: nil), changed, "the topic as stored")
            let refused = try? await store.changeTopic("news") { topic in
                topic.tags = [:]
                throw TopicSamples.Refusal()
            }
            try expectEqual(refused == nil, true, "whether a change was refused")
            try expectEqual(try await store.topic("news", of: nil)?.tags, ["team": "b"], "the tags after a refusal")
            try expectEqual(try await store.changeTopic("none") { $0.tags = [:] }, nil, "a change of no topic")
        },
        Check("an app for which a topic is made that is there already and not as it should be does not have it") {
            store in
            try await store.addSampleApp()
            try await store.makeTopic("news")
            let made = try? await store.createTopic(
                "news",
                attributes: [:],
                tags: [:],
                for: StoreSamples.app,
                now: StoreSamples.now
            ) { _ in throw TopicSamples.Refusal() }
            try expectEqual(made == nil, true, "whether it was refused")
            try expectEqual(try await store.topic("news", of: StoreSamples.app), nil, "the topic of the app")
            let other = try await store.createTopic(
                "other",
                attributes: [:],
                tags: [:],
                for: StoreSamples.app,
                now: StoreSamples.now
            ) { _ in throw TopicSamples.Refusal() }
            try expectEqual(other.isNew, true, "whether one that was not there is looked at")
        },
        Check("an app has a topic since it was made for it or something of it was subscribed") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            try await store.makeTopic("news", for: StoreSamples.app)
            try await store.makeTopic("free")
            try await store.addDevices(0..<1)
            try expectEqual(try await store.topic("news", of: StoreSamples.otherApp), nil, "another app's topic")
            try expectEqual(try await store.topic("free", of: StoreSamples.app), nil, "a topic of nobody")
            try await store.subscribe(TopicSamples.device(0, to: "free"))
            let own = try await store.topics(of: StoreSamples.app, after: nil, limit: 10)
            try expectEqual(own.elements.map(\.name), ["free", "news"], "the app's topics")
            let others = try await store.topics(of: StoreSamples.otherApp, after: nil, limit: 10)
            try expectEqual(others.elements, [], "the other app's topics")
            let error = try await storeError { try await store.makeTopic("x", for: "com.example.none") }
            try expectEqual(error?.code, .notFound, "a topic for no app")
            try expectEqual(try await store.topic("x", of: nil), nil, "the topic for no app")
            _ = try await store.deleteApp(StoreSamples.app)
            try expectEqual(try await store.topic("news", of: nil)?.name, "news", "the topic without its app")
            let counts = try await store.subscriptionCounts(of: "free", app: nil)
            try expectEqual(counts, SubscriptionCounts(), "the subscriptions of an app that is gone")
            try await store.addSampleApp()
            let later = try await store.topics(of: StoreSamples.app, after: nil, limit: 10)
            try expectEqual(later.elements, [], "the topics of an app of the same name")
        },
        Check("a topic that is deleted is gone at once, its name free, and its rows go bit by bit") { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<250)
            var subscriptions: [Subscription] = []
            for number in 0..<250 {
                let subscription = TopicSamples.device(number, filter: TopicSamples.filter("a"))
                try await store.subscribe(subscription)
                subscriptions.append(subscription)
            }
            let first = try require(try await store.topic("news", of: nil), "a topic")
            try expectEqual(try await store.deleteTopic("news", of: nil), true, "whether it was there")
            try expectEqual(try await store.deleteTopic("news", of: nil), false, "whether it is there still")
            try expectEqual(try await store.subscription(subscriptions[0].id), nil, "a subscription of it")
            let list = try await store.subscriptions(to: nil, of: nil, after: nil, limit: 10)
            try expectEqual(list.elements, [], "the list of all")
            let second = try await store.makeTopic()
            try expectEqual(second.id == first.id, false, "whether a new one has the number of the old one")
            let counts = try await store.subscriptionCounts(of: "news", app: nil)
            try expectEqual(counts, SubscriptionCounts(), "the subscriptions of the new one")
            let created = try TopicSamples.created(try await store.subscribe(TopicSamples.device(0)))
            var rounds = 0
            while try await store.pruneTopics(pendingBefore: .distantPast, limit: 100) { rounds += 1 }
            try expectEqual(rounds, 2, "how often there was more to remove")
            try expectEqual(try await store.subscription(created.id), created, "what was subscribed since")
        },
        Check("a subscription is made again under its id once its topic was deleted, before its row is gone") { store in
            try await store.addSampleApp()
            try await store.addDevices(0..<2)
            try await store.makeTopic()
            let (old, other) = (TopicSamples.device(0, filter: TopicSamples.filter("a")), TopicSamples.device(1))
            for each in [old, other] { try await store.subscribe(each) }
            try await store.deleteTopic("news", of: nil)
            try await store.makeTopic()
            let made = try TopicSamples.created(try await store.subscribe(old))
            try expectEqual(made, old, "what is made again")
            while try await store.pruneTopics(pendingBefore: .distantPast, limit: 100) {}
            try expectEqual(try await store.subscription(old.id), old, "what is left once the rows are gone")
            try expectEqual(try await store.subscription(other.id), nil, "what was not made again")
            let list = try await store.subscriptions(to: "news", of: nil, after: nil, limit: 10)
            try expectEqual(list.elements, [old], "the subscriptions of the topic")
            // An id that is taken stays taken.
            let taken = Subscription(
                id: old.id,
                topic: "news",
                subscriber: other.subscriber,
                createdAt: StoreSamples.now
            )
            let error = try await storeError { try await store.subscribe(taken) }
            try expectEqual(error?.code, .conflict, "an id that somebody has")
        },
        Check("a topic is deleted for one app, and stays for the others") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            try await store.makeTopic("news", for: StoreSamples.app)
            try await store.makeTopic("news", for: StoreSamples.otherApp)
            let user = TopicSamples.subscription(.user(StoreSamples.otherApp, "anna"))
            try await store.subscribe(user)
            try await store.subscribe(TopicSamples.subscription(.user(StoreSamples.app, "anna")))
            try expectEqual(try await store.deleteTopic("news", of: StoreSamples.app), true, "whether it had it")
            try expectEqual(try await store.deleteTopic("news", of: StoreSamples.app), false, "whether it has it still")
            let left = try await store.subscriptions(to: "news", of: nil, after: nil, limit: 10)
            try expectEqual(left.elements, [user], "what is left")
            try expectEqual(
                try await store.deleteTopic("news", of: StoreSamples.otherApp),
                true,
                "whether the other had it"
            )
            try expectEqual(try await store.topic("news", of: nil), nil, "the topic that nobody has")
        },
    ]
}
