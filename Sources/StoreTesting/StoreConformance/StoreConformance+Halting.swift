// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let halting = [
        Check("what is being sent when it is called off still has its outcome, and the rest is counted") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 5)
            try await store.accept(plan)
            let claimed = try require(try await store.claim().first, "the batch")
            try expectEqual(try await store.halted(among: [claimed.batch.id]), [], "what is halted before")
            var changes = store.changes().makeAsyncIterator()
            let cancelled = try await store.cancel(plan.notification.id, now: StoreSamples.now)
            try expectEqual(cancelled, 5, "how many had no outcome")
            try expectEqual(await changes.nextEvent(), .halted(plan.notification.id), "the signal")
            try expectEqual(try await store.halted(among: [claimed.batch.id]), [claimed.batch.id], "what is halted")
            try await store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: StoreSamples.after(1))
            let open = try require(try await store.notification(plan.notification.id), "the notification")
            try expect(!open.isDone, "it is done although a worker has it")
            let calledOff = try await store.release(
                claimed.batch.id,
                worker: claimed.worker,
                now: StoreSamples.now
            )
            try expectEqual(calledOff, 3, "how many are called off by its being given back")
            let status = try require(try await store.notification(plan.notification.id), "the notification")
            try expectEqual(status.counts, OutcomeCounts(delivered: 2, failed: [.cancelled: 3]), "the counts")
            try expectEqual(status.batches.map(\.lifecycle.state), [.cancelled], "the state")
            try expect(status.isDone, "it is not done")
            try expectEqual(await changes.nextEvent(), .notificationSettled(plan.notification.id), "the last signal")
            let outcome = try await store.outcome(of: claimed.batch.id.apnsID(at: 3))
            try expectEqual(outcome?.outcome, .failed(.cancelled), "the outcome of one that was not sent")
        },
        Check("a batch that was called off and whose worker died is cancelled by the next claim") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 2)
            try await store.accept(plan)
            _ = try await store.claim()
            _ = try await store.cancel(plan.notification.id, now: StoreSamples.after(1))
            try expectEqual(
                try await store.claim(now: StoreSamples.after(59)).count,
                0,
                "a claim before the lease lapses"
            )
            try expectEqual(try await store.claim(now: StoreSamples.after(60)).count, 0, "a claim when it lapses")
            let status = try require(try await store.notification(plan.notification.id), "the notification")
            try expectEqual(status.counts, OutcomeCounts(failed: [.cancelled: 2]), "the counts")
            try expect(status.isDone, "it is not done")
        },
        Check("when a batch waits for its time, the store says until when") { store in
            try await store.addSampleApp()
            try await store.accept(StoreSamples.plan(lane: .bulk))
            let none = try await store.nextClaim(in: .bulk, after: StoreSamples.now)
            try expectEqual(none, nil, "the time of what can be claimed at once")
            let claimed = try require(try await store.claim(.bulk).first, "the batch")
            let id = claimed.batch.id
            try await store.setBack(id, worker: claimed.worker, until: StoreSamples.after(30), now: StoreSamples.now)
            let next = try await store.nextClaim(in: .bulk, after: StoreSamples.now)
            try expectEqual(next, StoreSamples.after(30), "the time of what waits")
            let urgent = try await store.nextClaim(in: .urgent, after: StoreSamples.now)
            try expectEqual(urgent, nil, "the time of another lane")
            let due = try await store.nextClaim(in: .bulk, after: StoreSamples.after(30))
            try expectEqual(due, nil, "the time of what is due")
        },
        Check("when all that is left of a notification waits for its time, the store says until when") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 10_001, lane: .bulk)
            let id = plan.notification.id
            try await store.accept(plan)
            let claimed = try await store.claim(.bulk)
            try expectEqual(claimed.count, 2, "the batches")
            func turn(after seconds: Double = 0) async throws -> Date? {
                try await store.nextTurn(of: id, after: StoreSamples.after(seconds))
            }
            for (number, batch) in claimed.enumerated() {
                try expectEqual(try await turn(), nil, "the time of what is being sent")
                try await store.setBack(
                    batch.batch.id,
                    worker: batch.worker,
                    until: StoreSamples.after(Double(60 - 10 * number)),
                    now: StoreSamples.now
                )
            }
            try expectEqual(try await turn(), StoreSamples.after(50), "the time of what waits")
            try expectEqual(try await turn(after: 50), nil, "the time of what is due")
            _ = try await store.cancel(id, now: StoreSamples.now)
            try expectEqual(try await turn(), nil, "the time of what is called off")
            let other = NotificationID(now: StoreSamples.now)
            try expectEqual(try await store.nextTurn(of: other, after: StoreSamples.now), nil, "that of none")
        },
    ]
}
