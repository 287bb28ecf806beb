// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let topicDeliveries = [
        Check("what is to be posted is leased, tried again when it is due, and gone when it is done") { store in
            try await store.makeTopic()
            let first = TopicSamples.subscription(.url("http://example.com/1"))
            let second = TopicSamples.subscription(.url("http://example.com/2"))
            for subscription in [first, second] { try await store.subscribe(subscription) }
            let message = PublicationSamples.message(1)
            try await store.publish(
                Publication(
                    message: message,
                    recipients: [first.id, second.id, SubscriptionID(now: StoreSamples.now)]
                ),
                noting: nil
            )
            let claimed = try await store.claimSample(now: StoreSamples.now).sorted { $0.url < $1.url }
            try expectEqual(claimed.map(\.url), ["http://example.com/1", "http://example.com/2"], "where to")
            try expectEqual(claimed.map(\.subscription), [first, second], "the subscriptions")
            try expectEqual(claimed.map(\.message), [message, message], "the message")
            try expectEqual(claimed.map(\.attempts), [0, 0], "how often it was tried")
            try expectEqual(try await store.claimSample(now: StoreSamples.after(9)), [], "what others get meanwhile")
            try await store.settleDelivery(claimed[0].id, worker: StoreSamples.otherWorker, as: .done)
            try await store.settleDelivery(claimed[0].id, worker: StoreSamples.worker, as: .done)
            try await store.settleDelivery(
                claimed[1].id,
                worker: StoreSamples.worker,
                as: .again(at: StoreSamples.after(30))
            )
            try await store.unsubscribe(second.id)
            try expectEqual(try await store.claimSample(now: StoreSamples.after(29)), [], "what is due too early")
            let again = try await store.claimSample(now: StoreSamples.after(30))
            try expectEqual(again.map(\.attempts), [1], "how often it was tried then")
            try expectEqual(again.map(\.subscription), [nil], "the subscription that has ended")
            try expectEqual(again.map(\.subscriptionID), [second.id], "its id")
            let taken = try await store.claimSample(by: StoreSamples.otherWorker, now: StoreSamples.after(41))
            try expectEqual(taken.map(\.id), again.map(\.id), "what is taken over from one whose lease lapsed")
            try await store.settleDelivery(again[0].id, worker: StoreSamples.worker, as: .done)
            try await store.settleDelivery(again[0].id, worker: StoreSamples.otherWorker, as: .untried)
            let last = try await store.claimSample(now: StoreSamples.after(42))
            try expectEqual(last.map(\.attempts), [1], "how often it was tried, once given back untried")
            try await store.settleDelivery(last[0].id, worker: StoreSamples.worker, as: .done)
            try expectEqual(try await store.claimSample(now: StoreSamples.after(9999)), [], "what is left in the end")
        },
        Check("a message is posted to one URL, whether or not that is subscribed") { store in
            try await store.makeTopic()
            let pending = TopicSamples.subscription(.url("http://example.com"), state: .pending, confirmation: [1])
            try await store.subscribe(pending)
            let other = SubscriptionID(now: StoreSamples.now)
            let message = PublicationSamples.message(5)
            try await store.enqueue(message, about: pending.id, to: "http://example.com", now: StoreSamples.now)
            try await store.enqueue(message, about: other, to: "http://example.com/x", now: StoreSamples.after(1))
            let claimed = try await store.claimSample(now: StoreSamples.after(1))
            try expectEqual(claimed.map(\.subscription), [pending, nil], "the subscriptions")
            try expectEqual(claimed.map(\.url), ["http://example.com", "http://example.com/x"], "where to")
            try expectEqual(claimed.map(\.message), [message, message], "the message, which is kept once")
        },
        Check("nothing is added for a URL for which something waits, however many ask for it at once") { store in
            try await store.makeTopic()
            let pending = TopicSamples.subscription(.url("http://example.com"), state: .pending, confirmation: [1])
            try await store.subscribe(pending)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        try await store.enqueue(
                            PublicationSamples.message(UInt64(number)),
                            about: pending.id,
                            to: "http://example.com",
                            now: StoreSamples.now
                        )
                    }
                }
                try await group.waitForAll()
            }
            let first = try await store.claimSample(now: StoreSamples.now)
            try expectEqual(first.count, 1, "how often it is asked")
            let later = PublicationSamples.message(9)
            func askAgain() async throws {
                try await store.enqueue(later, about: pending.id, to: "http://example.com", now: StoreSamples.after(1))
            }
            // While it is leased, and while it is to be tried again.
            try await askAgain()
            let retry = TopicDeliveryEnd.again(at: StoreSamples.after(5))
            try await store.settleDelivery(first[0].id, worker: StoreSamples.worker, as: retry)
            try await askAgain()
            let second = try await store.claimSample(now: StoreSamples.after(5))
            try expectEqual(second.map(\.id), first.map(\.id), "what is tried again")
            try await store.settleDelivery(second[0].id, worker: StoreSamples.worker, as: .done)
            try await askAgain()
            let third = try await store.claimSample(now: StoreSamples.after(6))
            try expectEqual(third.map(\.message), [later], "what is asked once nothing waits")
        },
        Check("of what waits for a subscription a part is leased, and no more while that is") { store in
            try await store.makeTopic()
            let slow = TopicSamples.subscription(.url("http://example.com/slow"))
            let other = TopicSamples.subscription(.url("http://example.com/other"))
            for subscription in [slow, other] { try await store.subscribe(subscription) }
            for number in 1...4 {
                let message = PublicationSamples.message(UInt64(number))
                try await store.publish(Publication(message: message, recipients: [slow.id]), noting: nil)
            }
            let late = PublicationSamples.message(5)
            try await store.enqueue(late, about: other.id, to: "http://example.com/other", now: StoreSamples.after(1))
            func claim(_ worker: WorkerID, limit: Int = 10, seconds: Double = 1) async throws -> [TopicDelivery] {
                try await store.claimDeliveries(
                    limit: limit,
                    each: 2,
                    worker: worker,
                    leaseDuration: .seconds(10),
                    now: StoreSamples.after(seconds)
                )
            }
            let first = try await claim(StoreSamples.worker, limit: 1)
            try expectEqual(first.map(\.subscriptionID), [slow.id, slow.id], "the first queue's oldest")
            let second = try await claim(StoreSamples.otherWorker)
            try expectEqual(second.map(\.subscriptionID), [other.id], "whose turn it is beside a leased queue")
            try await store.settleDelivery(first[0].id, worker: StoreSamples.worker, as: .done)
            try expectEqual(try await claim(StoreSamples.otherWorker), [], "what is free while one is leased")
            try await store.settleDelivery(
                first[1].id,
                worker: StoreSamples.worker,
                as: .again(at: StoreSamples.after(5))
            )
            let third = try await claim(StoreSamples.otherWorker)
            try expectEqual(third.map(\.attempts), [0, 0], "what was not tried yet")
            try expectEqual(third.filter { first.map(\.id).contains($0.id) }.count, 0, "what is tried again too early")
            let lapsed = try await claim(StoreSamples.worker, seconds: 12)
            try expectEqual(lapsed.count, 3, "what is taken over once leases lapsed, two of one queue")
        },
        Check("what signs deliveries is put in its place once") { store in
            let first = StoredDeliveryIdentity(certificate: "first", sealedKey: [1, 2])
            let second = StoredDeliveryIdentity(certificate: "second", sealedKey: [3])
            try expectEqual(try await store.deliveryIdentity(), nil, "what there is at first")
            try expectEqual(try await store.replaceDeliveryIdentity(nil, with: first), first, "what was put there")
            try expectEqual(try await store.replaceDeliveryIdentity(nil, with: second), first, "what came too late")
            try expectEqual(try await store.replaceDeliveryIdentity(first, with: second), second, "what replaced it")
            try expectEqual(try await store.deliveryIdentity(), second, "what there is in the end")
        },
    ]
}

extension TopicDeliveryStore {
    /// Claims with a lease of 10 seconds.
    fileprivate func claimSample(
        by worker: WorkerID = StoreSamples.worker,
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
