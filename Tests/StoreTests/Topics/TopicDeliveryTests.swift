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

@Suite("Stores: topic deliveries", .timeLimit(.minutes(20)))
struct TopicDeliveryTests {
    @Test(
        "what is to be posted is leased, tried again when it is due, and gone when it is done",
        arguments: TestStoreBackend.allCases
    )
    func lease(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.makeTopic()
            let first = TopicFixtures.subscription(.url("http://example.com/1"))
            let second = TopicFixtures.subscription(.url("http://example.com/2"))
            for subscription in [first, second] { try await store.subscribe(subscription) }
            let message = PublicationFixtures.message(1)
            try await store.publish(
                Publication(
                    message: message,
                    recipients: [first.id, second.id, SubscriptionID(now: StoreFixtures.now)]
                ),
                noting: nil
            )
            let claimed = try await store.claimSample(now: StoreFixtures.now).sorted { $0.url < $1.url }
            try #require(claimed.map(\.url) == ["http://example.com/1", "http://example.com/2"], "where to")
            try #require(claimed.map(\.subscription) == [first, second], "the subscriptions")
            try #require(claimed.map(\.message) == [message, message], "the message")
            try #require(claimed.map(\.attempts) == [0, 0], "how often it was tried")
            let othersGetMeanwhile = try await store.claimSample(now: StoreFixtures.after(9))
            #expect(othersGetMeanwhile == [], "what others get meanwhile")
            try await store.settleDelivery(claimed[0].id, worker: StoreFixtures.otherWorker, as: .done)
            try await store.settleDelivery(claimed[0].id, worker: StoreFixtures.worker, as: .done)
            try await store.settleDelivery(
                claimed[1].id,
                worker: StoreFixtures.worker,
                as: .again(at: StoreFixtures.after(30))
            )
            try await store.unsubscribe(second.id)
            let claimedThen = try await store.claimSample(now: StoreFixtures.after(29))
            #expect(claimedThen == [], "what is due too early")
            let again = try await store.claimSample(now: StoreFixtures.after(30))
            try #require(again.map(\.attempts) == [1], "how often it was tried then")
            try #require(again.map(\.subscription) == [nil], "the subscription that has ended")
            try #require(again.map(\.subscriptionID) == [second.id], "its id")
            let taken = try await store.claimSample(by: StoreFixtures.otherWorker, now: StoreFixtures.after(41))
            #expect(taken.map(\.id) == again.map(\.id), "what is taken over from one whose lease lapsed")
            try await store.settleDelivery(again[0].id, worker: StoreFixtures.worker, as: .done)
            try await store.settleDelivery(again[0].id, worker: StoreFixtures.otherWorker, as: .untried)
            let last = try await store.claimSample(now: StoreFixtures.after(42))
            try #require(last.map(\.attempts) == [1], "how often it was tried, once given back untried")
            try await store.settleDelivery(last[0].id, worker: StoreFixtures.worker, as: .done)
            let claimedAtEnd = try await store.claimSample(now: StoreFixtures.after(9999))
            #expect(claimedAtEnd == [], "what is left in the end")
        }
    }

    @Test("a message is posted to one URL, whether or not that is subscribed", arguments: TestStoreBackend.allCases)
    func postToURL(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.makeTopic()
            let pending = TopicFixtures.subscription(.url("http://example.com"), state: .pending, confirmation: [1])
            try await store.subscribe(pending)
            let other = SubscriptionID(now: StoreFixtures.now)
            let message = PublicationFixtures.message(5)
            try await store.enqueue(message, about: pending.id, to: "http://example.com", now: StoreFixtures.now)
            try await store.enqueue(message, about: other, to: "http://example.com/x", now: StoreFixtures.after(1))
            let claimed = try await store.claimSample(now: StoreFixtures.after(1))
            #expect(claimed.map(\.subscription) == [pending, nil], "the subscriptions")
            #expect(claimed.map(\.url) == ["http://example.com", "http://example.com/x"], "where to")
            #expect(claimed.map(\.message) == [message, message], "the message, which is kept once")
        }
    }

    @Test(
        "nothing is added for a URL for which something waits, however many ask for it at once",
        arguments: TestStoreBackend.allCases
    )
    func onePending(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.makeTopic()
            let pending = TopicFixtures.subscription(.url("http://example.com"), state: .pending, confirmation: [1])
            try await store.subscribe(pending)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        try await store.enqueue(
                            PublicationFixtures.message(UInt64(number)),
                            about: pending.id,
                            to: "http://example.com",
                            now: StoreFixtures.now
                        )
                    }
                }
                try await group.waitForAll()
            }
            let first = try await store.claimSample(now: StoreFixtures.now)
            try #require(first.count == 1, "how often it is asked")
            let later = PublicationFixtures.message(9)
            func askAgain() async throws {
                try await store.enqueue(later, about: pending.id, to: "http://example.com", now: StoreFixtures.after(1))
            }
            // While it is leased, and while it is to be tried again.
            try await askAgain()
            let retry = TopicDeliveryResult.again(at: StoreFixtures.after(5))
            try await store.settleDelivery(first[0].id, worker: StoreFixtures.worker, as: retry)
            try await askAgain()
            let second = try await store.claimSample(now: StoreFixtures.after(5))
            try #require(second.map(\.id) == first.map(\.id), "what is tried again")
            try await store.settleDelivery(second[0].id, worker: StoreFixtures.worker, as: .done)
            try await askAgain()
            let third = try await store.claimSample(now: StoreFixtures.after(6))
            #expect(third.map(\.message) == [later], "what is asked once nothing waits")
        }
    }

    @Test(
        "of what waits for a subscription a part is leased, and no more while that is",
        arguments: TestStoreBackend.allCases
    )
    func leaseInParts(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.makeTopic()
            let slow = TopicFixtures.subscription(.url("http://example.com/slow"))
            let other = TopicFixtures.subscription(.url("http://example.com/other"))
            for subscription in [slow, other] { try await store.subscribe(subscription) }
            for number in 1...4 {
                let message = PublicationFixtures.message(UInt64(number))
                try await store.publish(Publication(message: message, recipients: [slow.id]), noting: nil)
            }
            let late = PublicationFixtures.message(5)
            try await store.enqueue(late, about: other.id, to: "http://example.com/other", now: StoreFixtures.after(1))
            func claim(_ worker: WorkerID, limit: Int = 10, seconds: Double = 1) async throws -> [TopicDelivery] {
                try await store.claimDeliveries(
                    limit: limit,
                    each: 2,
                    worker: worker,
                    leaseDuration: .seconds(10),
                    now: StoreFixtures.after(seconds)
                )
            }
            let first = try await claim(StoreFixtures.worker, limit: 1)
            try #require(first.map(\.subscriptionID) == [slow.id, slow.id], "the first queue's oldest")
            let second = try await claim(StoreFixtures.otherWorker)
            #expect(second.map(\.subscriptionID) == [other.id], "whose turn it is beside a leased queue")
            try await store.settleDelivery(first[0].id, worker: StoreFixtures.worker, as: .done)
            let claimed = try await claim(StoreFixtures.otherWorker)
            #expect(claimed == [], "what is free while one is leased")
            try await store.settleDelivery(
                first[1].id,
                worker: StoreFixtures.worker,
                as: .again(at: StoreFixtures.after(5))
            )
            let third = try await claim(StoreFixtures.otherWorker)
            #expect(third.map(\.attempts) == [0, 0], "what was not tried yet")
            #expect(third.filter { first.map(\.id).contains($0.id) }.count == 0, "what is tried again too early")
            let lapsed = try await claim(StoreFixtures.worker, seconds: 12)
            #expect(lapsed.count == 3, "what is taken over once leases lapsed, two of one queue")
        }
    }

    @Test("what signs deliveries is put in its place once", arguments: TestStoreBackend.allCases)
    func identity(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let first = StoredSigningIdentity(certificate: "first", sealedKey: [1, 2])
            let second = StoredSigningIdentity(certificate: "second", sealedKey: [3])
            #expect(try await store.deliveryIdentity() == nil, "what there is at first")
            let putReplaced = try await store.replaceDeliveryIdentity(nil, with: first)
            #expect(putReplaced == first, "what was put there")
            let tooLate = try await store.replaceDeliveryIdentity(nil, with: second)
            #expect(tooLate == first, "what came too late")
            let replaced = try await store.replaceDeliveryIdentity(first, with: second)
            #expect(replaced == second, "what replaced it")
            let identity = try await store.deliveryIdentity()
            #expect(identity == second, "what there is in the end")
        }
    }
}

extension TopicDeliveryStore {
    /// Claims with a lease of 10 seconds.
    fileprivate func claimSample(
        by worker: WorkerID = StoreFixtures.worker,
        now: Date
    ) async throws -> [TopicDelivery] {
        try await self.claimDeliveries(
            limit: 10,
            each: 10,
            worker: worker,
            leaseDuration: .seconds(10),
            now: now
        )
    }
}
