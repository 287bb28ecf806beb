// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension StoreConformance {
    static let signals = [
        Check("an accepted batch is signalled once it can be claimed") { store in
            try await store.addSampleApp()
            var changes = store.changes().makeAsyncIterator()
            try await store.accept(StoreSamples.plan(lane: .bulk))
            try expectEqual(await changes.next(), .batchReady(.bulk), "the signal")
            try expectEqual(try await store.claim(.bulk).count, 1, "how many batches can be claimed")
        },
        Check("a released batch is signalled") { store in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan())
            let claimed = try require(try await store.claim().first, "the batch")
            var changes = store.changes().makeAsyncIterator()
            try await store.release(claimed.batch.id, worker: claimed.worker)
            try expectEqual(await changes.next(), .batchReady(.urgent), "the signal")
        },
        Check("every subscriber is told that a notification is settled, by whatever settles it") { store in
            try await store.addSampleApp()
            let settled = try StoreSamples.plan()
            let expired = try StoreSamples.plan(expiresAt: StoreSamples.after(5), now: StoreSamples.after(1))
            let cancelled = try StoreSamples.plan(now: StoreSamples.after(2))
            try await store.accept(settled)
            let claimed = try require(try await store.claim().first, "the batch")
            try await store.accept(expired)
            try await store.accept(cancelled)
            var subscribers = (0..<2).map { _ in store.changes().makeAsyncIterator() }
            try await store.settle(Settlement(of: claimed, range: 0..<1, failures: []), now: StoreSamples.after(3))
            try await store.cancel(cancelled.notification.id, now: StoreSamples.after(4))
            _ = try await store.claim(now: StoreSamples.after(5))
            for place in subscribers.indices {
                for plan in [settled, cancelled, expired] {
                    var change = await subscribers[place].next()
                    while case .eventsAppended = change { change = await subscribers[place].next() }
                    try expectEqual(change, .notificationSettled(plan.notification.id), "the signal")
                }
            }
        },
        Check("what is not stored is not signalled") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(lane: .bulk)
            try await store.accept(plan)
            var changes = store.changes().makeAsyncIterator()
            try await expectError(.conflict, "the same notification again") { try await store.accept(plan) }
            try await store.accept(StoreSamples.plan(lane: .urgent))
            try expectEqual(await changes.next(), .batchReady(.urgent), "the first signal")
        },
    ]
}
