// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: topics", .timeLimit(.minutes(20)))
struct TopicTests {
    @Test("a topic is made once, found, listed by name and changed", arguments: TestStoreBackend.allCases)
    func create(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let made = try await store.createTopic(
                "news",
                attributes: ["DisplayName": "寿司"],
                tags: ["team": "a"],
                for: nil,
                now: StoreFixtures.now
            )
            #expect(made.isNew, "whether it is new")
            #expect(made.topic.attributes == ["DisplayName": "寿司"], "its attributes")
            #expect(made.topic.tags == ["team": "a"], "its tags")
            #expect(made.topic.createdAt == StoreFixtures.now, "when it was made")
            let again = try await store.createTopic(
                "news",
                attributes: ["DisplayName": "other"],
                tags: [:],
                for: nil,
                now: StoreFixtures.after(5)
            )
            #expect(!again.isNew, "whether it is new the second time")
            #expect(again.topic == made.topic, "the topic the second time")
            try await store.makeTopic("alpha")
            try await store.makeTopic("zulu")
            let first = try await store.topics(of: nil, after: nil, limit: 2)
            #expect(first.elements.map(\.name) == ["alpha", "news"], "the first page")
            let second = try await store.topics(of: nil, after: first.next, limit: 2)
            #expect(second.elements.map(\.name) == ["zulu"], "the second page")
            #expect(second.next == nil, "what follows it")
            let changed = try await store.changeTopic("news") { topic in
                topic.attributes["DisplayName"] = nil
                topic.tags["team"] = "b"
            }
            #expect(changed?.attributes == [:], "the attributes as changed")
            let topicStored = try await store.topic("news", of: nil)
            #expect(topicStored == changed, "the topic as stored")
            let refused = try? await store.changeTopic("news") { topic in
                topic.tags = [:]
                throw TopicFixtures.Refusal()
            }
            #expect(refused == nil, "whether a change was refused")
            let topicTags = try await store.topic("news", of: nil)?.tags
            #expect(topicTags == ["team": "b"], "the tags after a refusal")
            #expect(try await store.changeTopic("none") { $0.tags = [:] } == nil, "a change of no topic")
        }
    }

    @Test(
        "an app for which a topic is made that is there already and not as it should be does not have it",
        arguments: TestStoreBackend.allCases
    )
    func otherAttributes(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic("news")
            let made = try? await store.createTopic(
                "news",
                attributes: [:],
                tags: [:],
                for: StoreFixtures.app,
                now: StoreFixtures.now
            ) { _ in throw TopicFixtures.Refusal() }
            #expect(made == nil, "whether it was refused")
            #expect(try await store.topic("news", of: StoreFixtures.app) == nil, "the topic of the app")
            let other = try await store.createTopic(
                "other",
                attributes: [:],
                tags: [:],
                for: StoreFixtures.app,
                now: StoreFixtures.now
            ) { _ in throw TopicFixtures.Refusal() }
            #expect(other.isNew, "whether one that was not there is looked at")
        }
    }

    @Test(
        "an app has a topic since it was made for it or something of it was subscribed",
        arguments: TestStoreBackend.allCases
    )
    func apps(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.makeTopic("news", for: StoreFixtures.app)
            try await store.makeTopic("free")
            try await store.addDevices(0..<1)
            #expect(try await store.topic("news", of: StoreFixtures.otherApp) == nil, "another app's topic")
            #expect(try await store.topic("free", of: StoreFixtures.app) == nil, "a topic of nobody")
            try await store.subscribe(TopicFixtures.device(0, to: "free"))
            let own = try await store.topics(of: StoreFixtures.app, after: nil, limit: 10)
            #expect(own.elements.map(\.name) == ["free", "news"], "the app's topics")
            let others = try await store.topics(of: StoreFixtures.otherApp, after: nil, limit: 10)
            #expect(others.elements == [], "the other app's topics")
            let error = try await storeError { try await store.makeTopic("x", for: "com.example.none") }
            #expect(error?.code == .notFound, "a topic for no app")
            #expect(try await store.topic("x", of: nil) == nil, "the topic for no app")
            _ = try await store.deleteApp(StoreFixtures.app)
            let topicName = try await store.topic("news", of: nil)?.name
            #expect(topicName == "news", "the topic without its app")
            let counts = try await store.subscriptionCounts(of: "free", app: nil)
            #expect(counts == SubscriptionCounts(), "the subscriptions of an app that is gone")
            try await store.addSampleApp()
            let later = try await store.topics(of: StoreFixtures.app, after: nil, limit: 10)
            #expect(later.elements == [], "the topics of an app of the same name")
        }
    }

    @Test(
        "a topic that is deleted is gone at once, its name free, and its rows go bit by bit",
        arguments: TestStoreBackend.allCases
    )
    func delete(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.makeTopic()
            try await store.addDevices(0..<250)
            var subscriptions: [Subscription] = []
            for number in 0..<250 {
                let subscription = TopicFixtures.device(number, filter: TopicFixtures.filter("a"))
                try await store.subscribe(subscription)
                subscriptions.append(subscription)
            }
            let first = try #require(try await store.topic("news", of: nil), "a topic")
            #expect(try await store.deleteTopic("news", of: nil), "whether it was there")
            #expect(try await !store.deleteTopic("news", of: nil), "whether it is there still")
            #expect(try await store.subscription(subscriptions[0].id) == nil, "a subscription of it")
            let list = try await store.subscriptions(to: nil, of: nil, after: nil, limit: 10)
            #expect(list.elements == [], "the list of all")
            let second = try await store.makeTopic()
            #expect(!(second.id == first.id), "whether a new one has the number of the old one")
            let counts = try await store.subscriptionCounts(of: "news", app: nil)
            #expect(counts == SubscriptionCounts(), "the subscriptions of the new one")
            let created = try TopicFixtures.created(try await store.subscribe(TopicFixtures.device(0)))
            var rounds = 0
            while try await store.pruneTopics(pendingBefore: .distantPast, limit: 100) { rounds += 1 }
            #expect(rounds == 2, "how often there was more to remove")
            let subscribedSince = try await store.subscription(created.id)
            #expect(subscribedSince == created, "what was subscribed since")
        }
    }

    @Test(
        "a subscription is made again under its id once its topic was deleted, before its row is gone",
        arguments: TestStoreBackend.allCases
    )
    func subscribeAgain(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addDevices(0..<2)
            try await store.makeTopic()
            let (old, other) = (TopicFixtures.device(0, filter: TopicFixtures.filter("a")), TopicFixtures.device(1))
            for each in [old, other] { try await store.subscribe(each) }
            try await store.deleteTopic("news", of: nil)
            try await store.makeTopic()
            let made = try TopicFixtures.created(try await store.subscribe(old))
            #expect(made == old, "what is made again")
            while try await store.pruneTopics(pendingBefore: .distantPast, limit: 100) {}
            let subscription = try await store.subscription(old.id)
            #expect(subscription == old, "what is left once the rows are gone")
            #expect(try await store.subscription(other.id) == nil, "what was not made again")
            let list = try await store.subscriptions(to: "news", of: nil, after: nil, limit: 10)
            #expect(list.elements == [old], "the subscriptions of the topic")
            // An id that is taken stays taken.
            let taken = Subscription(
                id: old.id,
                topic: "news",
                subscriber: other.subscriber,
                createdAt: StoreFixtures.now
            )
            let error = try await storeError { try await store.subscribe(taken) }
            #expect(error?.code == .conflict, "an id that somebody has")
        }
    }

    @Test("a topic is deleted for one app, and stays for the others", arguments: TestStoreBackend.allCases)
    func deleteForApp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.makeTopic("news", for: StoreFixtures.app)
            try await store.makeTopic("news", for: StoreFixtures.otherApp)
            let user = TopicFixtures.subscription(.user(StoreFixtures.otherApp, "anna"))
            try await store.subscribe(user)
            try await store.subscribe(TopicFixtures.subscription(.user(StoreFixtures.app, "anna")))
            #expect(try await store.deleteTopic("news", of: StoreFixtures.app), "whether it had it")
            #expect(try await !store.deleteTopic("news", of: StoreFixtures.app), "whether it has it still")
            #expect(try await !store.deleteTopic("news", of: "com.example.none"), "whether an unknown app has it")
            let left = try await store.subscriptions(to: "news", of: nil, after: nil, limit: 10)
            #expect(left.elements == [user], "what is left")
            #expect(try await store.deleteTopic("news", of: StoreFixtures.otherApp), "whether the other had it")
            #expect(try await store.topic("news", of: nil) == nil, "the topic that nobody has")
        }
    }
}
