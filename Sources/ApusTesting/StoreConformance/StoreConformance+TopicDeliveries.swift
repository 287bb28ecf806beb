// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
            try expectEqual(try await store.nextDeliveryTime(), StoreSamples.now, "when the first is due")
            let claimed = try await store.claimSample(now: StoreSamples.now)
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
            try expectEqual(try await store.nextDeliveryTime(), StoreSamples.after(30), "when the next is due")
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
            try expectEqual(try await store.nextDeliveryTime(), nil, "when the next is due in the end")
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
    ]
}

extension TopicDeliveryStore {
    /// Claims with a lease of 10 seconds.
    fileprivate func claimSample(
        by worker: WorkerID = StoreSamples.worker,
        now: Date
    ) async throws -> [TopicDelivery] {
        try await self.claimDeliveries(limit: 10, worker: worker, leaseDuration: .seconds(10), now: now)
    }
}
