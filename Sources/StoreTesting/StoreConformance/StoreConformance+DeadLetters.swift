// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let deadLetters = [
        Check("dead letters are what failed and what a batch left that ended before its time, in their order") {
            store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 6, expiresAt: StoreSamples.after(100))
            let batch = plan.batches[0]
            try await store.accept(plan)
            let claimed = try require(try await store.claim().first, "the batch")
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreSamples.rejection(.badDeviceToken)),
                .init(index: 3, outcome: StoreSamples.rejection(.tooManyRequests)),
            ]
            let deferral = Deferral(index: 1, notBefore: StoreSamples.after(200))
            let settlement = Settlement(of: claimed, range: 0..<4, failures: failures, deferrals: [deferral])
            try await store.settle(settlement, now: StoreSamples.now)
            try await expectDeadLetters(store, plan, FailureFilter(), [0: [0, 3]], "while the batch is sent")
            try await store.close(batch.id, worker: claimed.worker, as: .expired, now: StoreSamples.now)
            try await expectDeadLetters(store, plan, FailureFilter(), [0: [0, 1, 3, 4, 5]], "when it has ended")
            let all = try await store.deadLetters(
                of: plan.notification.id,
                matching: FailureFilter(),
                after: nil,
                limit: 10
            )
            let outcomes = all.elements.map(\.outcome)
            let expired = Outcome.failed(.expired)
            let expected = [failures[0].outcome, expired, failures[1].outcome, expired, expired]
            try expect(outcomes == expected, "the outcomes are \(outcomes)")
            try expectEqual(all.elements.last?.target, try StoreSamples.target(5), "the target")
        },
        Check("dead letters are asked for by their reason, and by whether sending again may help") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 6)
            try await store.accept(plan)
            let claimed = try require(try await store.claim().first, "the batch")
            let outcomes: [Outcome] = [
                StoreSamples.rejection(.unregistered), StoreSamples.rejection(.serviceUnavailable),
                .failed(.connection), StoreSamples.rejection(.payloadTooLarge), .failed(.cancelled),
            ]
            let failures = outcomes.enumerated().map { Settlement.Failure(index: $0.offset, outcome: $0.element) }
            try await store.settle(Settlement(of: claimed, range: 0..<6, failures: failures), now: StoreSamples.now)
            let filters: [(FailureFilter, [Int])] = [
                (FailureFilter(isRetryable: true), [1, 2]), (FailureFilter(isRetryable: false), [0, 3, 4]),
                (FailureFilter(reason: "Unregistered"), [0]), (FailureFilter(reason: "connection"), [2]),
                (FailureFilter(reason: "connection", isRetryable: false), []), (FailureFilter(reason: "Other"), []),
            ]
            for (filter, indices) in filters {
                try await expectDeadLetters(store, plan, filter, [0: indices], "by \(filter)")
            }
        },
        Check("dead letters are listed page by page across batches") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 10_002, lane: .bulk)
            try await store.accept(plan)
            for claimed in try await store.claim(.bulk) {
                let first = Settlement.Failure(index: 1, outcome: .failed(.deadline))
                try await store.settle(Settlement(of: claimed, range: 0..<2, failures: [first]), now: StoreSamples.now)
                if claimed.batch.ordinal == 0 {
                    try await store.close(claimed.batch.id, worker: claimed.worker, as: .store, now: StoreSamples.now)
                }
            }
            var listed: [APNsID] = []
            var cursor: APNsID?
            repeat {
                let page = try await store.deadLetters(
                    of: plan.notification.id,
                    matching: FailureFilter(isRetryable: true),
                    after: cursor,
                    limit: 1000
                )
                try expect(page.elements.count <= 1000, "a page has more elements than its limit")
                listed += page.elements.map(\.apnsID)
                cursor = page.next
            } while cursor != nil
            let first = (1..<10_000).map { plan.batches[0].id.apnsID(at: $0) }
            try expect(listed == first + [plan.batches[1].id.apnsID(at: 1)], "\(listed.count) dead letters are listed")
        },
        Check("a batch is found as it was accepted") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 3, expiresAt: StoreSamples.after(60))
            try await store.accept(plan)
            try expectEqual(try await store.batch(plan.batches[0].id), plan.batches[0], "the batch")
            _ = try await store.claim()
            try expectEqual(try await store.batch(plan.batches[0].id), plan.batches[0], "the batch that is claimed")
            try expectEqual(try await store.batch(BatchID(now: StoreSamples.now)), nil, "a batch that does not exist")
        },
        Check("what failed of a notification is sent again once, and that is found from both") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 3)
            try await store.accept(plan)
            try expectEqual(try await store.resend(of: plan.notification.id), nil, "the resend at first")
            try expectEqual(try await store.resends(of: plan.notification.id), [], "the resends at first")
            let parts = [(batch: plan.batches[0], indices: [0, 2])]
            func resending() throws -> NotificationPlan {
                try NotificationPlan(resending: plan.notification, parts, now: StoreSamples.after(5))
            }
            let again = try resending()
            try await store.accept(again)
            try expectEqual(try await store.resend(of: plan.notification.id), again.notification, "the resend")
            try expectEqual(try await store.resends(of: plan.notification.id), [again.notification], "the resends")
            try expectEqual(try await store.resends(of: again.notification.id), [], "the resends of the resend")
            let status = try require(try await store.notification(again.notification.id), "the notification")
            try expectEqual(status.notification, again.notification, "what is sent again")
            try await expectError(.conflict, "a second resend") { try await store.accept(try resending()) }
        },
        Check("what failed of a notification is sent again in parts, each of them once") { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 3)
            try await store.accept(plan)
            func part(_ index: Int, isLast: Bool = false) throws -> NotificationPlan {
                let batch = plan.batches[0].selecting([index])
                return try NotificationPlan(
                    resending: plan.notification,
                    [(batch: batch, indices: [0])],
                    through: isLast ? nil : batch.id.apnsID(at: index),
                    now: StoreSamples.after(5)
                )
            }
            let parts = [try part(0), try part(1), try part(2, isLast: true)]
            for (index, part) in parts.enumerated() {
                try await store.accept(part)
                try expectEqual(
                    try await store.resend(of: plan.notification.id),
                    part.notification,
                    "the part \(index)"
                )
                let known = parts[...index].map(\.notification)
                try expectEqual(try await store.resends(of: plan.notification.id), known, "the parts by then")
                let status = try require(try await store.notification(part.notification.id), "the notification")
                try expectEqual(status.notification, part.notification, "what is sent again")
                let stored = try require(try await store.batch(part.batches[0].id), "the batch")
                try expectEqual(Array(stored.targets), [plan.batches[0].targets[index]], "the targets")
            }
            try await expectError(.conflict, "the first part again") { try await store.accept(try part(0)) }
            try await expectError(.conflict, "the last part again") {
                try await store.accept(try part(2, isLast: true))
            }
        },
        Check("open batches are counted by lane and kind, with the age of the oldest") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            try expectEqual(try await store.openBatches(of: nil), [], "the open batches of an empty store")
            let mine = try (0..<3).map { try StoreSamples.plan(now: StoreSamples.after(Double($0))) }
            let bulk = try StoreSamples.plan(lane: .bulk, now: StoreSamples.after(3))
            let other = try StoreSamples.plan(app: StoreSamples.otherApp, now: StoreSamples.after(4))
            for plan in mine + [bulk, other] { try await store.accept(plan) }
            // One is leased, which leaves it open, and one is settled.
            let claimed = try await store.claim(limit: 2)
            try await store.settle(Settlement(of: claimed[0], range: 0..<1, failures: []), now: StoreSamples.now)
            let kind = mine[0].batches[0].kind
            let expected: Set = [
                OpenBatches(lane: .urgent, kind: kind, count: 2, oldest: StoreSamples.after(1)),
                OpenBatches(lane: .bulk, kind: kind, count: 1, oldest: StoreSamples.after(3)),
                OpenBatches(lane: .urgent, kind: other.batches[0].kind, count: 1, oldest: StoreSamples.after(4)),
            ]
            try expectEqual(Set(try await store.openBatches(of: nil)), expected, "the open batches")
            let own = expected.filter { $0.kind.app == StoreSamples.otherApp }
            try expectEqual(Set(try await store.openBatches(of: StoreSamples.otherApp)), own, "those of one app")
        },
    ]
}

/// Requires that the dead letters of a notification are those at some places of its batches, by their ordinals.
private func expectDeadLetters(
    _ store: any PushStore,
    _ plan: NotificationPlan,
    _ filter: FailureFilter,
    _ indices: [Int: [Int]],
    _ what: String
) async throws {
    let page = try await store.deadLetters(of: plan.notification.id, matching: filter, after: nil, limit: 1000)
    let expected = plan.batches.flatMap { batch in (indices[batch.ordinal] ?? []).map { batch.id.apnsID(at: $0) } }
    try expectEqual(page.elements.map(\.apnsID), expected, "the dead letters \(what)")
}
