// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let retention = [
        Check("what was settled long ago goes with all that belongs to it, and nothing else does") { store in
            try await store.addSampleApp()
            let plans = try (0..<3).map { try StoreSamples.plan(targets: 3, now: StoreSamples.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            for (number, batch) in try await store.claim().enumerated() {
                let failure = Settlement.Failure(index: 1, outcome: .failed(.deadline))
                let settlement = Settlement(of: batch, range: 0..<3, failures: [failure])
                try await store.settle(settlement, now: StoreSamples.after(100 * Double(number + 1)))
            }
            // The first and the second were settled after 100 and 200 seconds.
            let pruned = try await store.pruneAll(before: 201)
            try expectEqual(pruned, PrunedNotifications(notifications: 2, batches: 2), "what was removed")
            for plan in plans[..<2] {
                let id = plan.notification.id
                try expectEqual(try await store.notification(id), nil, "an old notification")
                try expectEqual(try await store.batch(plan.batches[0].id), nil, "its batch")
                try expectEqual(try await store.failures(of: id, after: nil, limit: 9).elements, [], "its failures")
                let letters = try await store.deadLetters(of: id, matching: FailureFilter(), after: nil, limit: 9)
                try expectEqual(letters.elements, [], "its dead letters")
                let outcome = try await store.outcome(of: plan.batches[0].id.apnsID(at: 1))
                try expectEqual(outcome, nil, "the outcome of a target")
            }
            let left = try require(try await store.notification(plans[2].notification.id), "the young notification")
            try expectEqual(left.counts, OutcomeCounts(delivered: 2, failed: [.deadline: 1]), "its counts")
            let failures = try await store.failures(of: left.notification.id, after: nil, limit: 9)
            try expectEqual(failures.elements.count, 1, "how many failures it has")
            let letters = try await store.deadLetters(
                of: left.notification.id,
                matching: FailureFilter(),
                after: nil,
                limit: 9
            )
            try expectEqual(letters.elements, failures.elements, "its dead letters")
            let batch = plans[2].batches[0]
            try expectEqual(try await store.batch(batch.id), batch, "its batch")
            try expectEqual(try await store.pruneAll(before: 201), PrunedNotifications(), "what goes the second time")
        },
        Check("what is not settled stays, however old it is: waiting, leased, or sent in part") { store in
            try await store.addSampleApp()
            let plans = try (0..<3).map { try StoreSamples.plan(targets: 2, now: StoreSamples.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            let claimed = try await store.claim(limit: 2)
            try await store.settle(Settlement(of: claimed[1], range: 0..<1, failures: []), now: StoreSamples.now)
            try expectEqual(try await store.pruneAll(before: 1_000_000_000), PrunedNotifications(), "what was removed")
            for plan in plans {
                let status = try require(try await store.notification(plan.notification.id), "a notification")
                try expectEqual(status.batches.count, 1, "how many batches it has")
            }
            // A lease is kept to: what is settled late has its time from then on.
            try await store.settle(Settlement(of: claimed[0], range: 0..<2, failures: []), now: StoreSamples.after(50))
            try expectEqual(try await store.pruneAll(before: 50).notifications, 0, "what goes before its time")
            try expectEqual(try await store.pruneAll(before: 51).notifications, 1, "what goes at its time")
        },
        Check("what expired, failed or was called off is settled by that") { store in
            try await store.addSampleApp()
            let expired = try StoreSamples.plan(expiresAt: StoreSamples.after(1))
            let cancelled = try StoreSamples.plan(now: StoreSamples.after(1))
            let failed = try StoreSamples.plan(now: StoreSamples.after(2))
            for plan in [expired, cancelled, failed] { try await store.accept(plan) }
            try await store.cancel(cancelled.notification.id, now: StoreSamples.after(3))
            let claimed = try await store.claim(now: StoreSamples.after(4))
            try expectEqual(claimed.map(\.batch.id), failed.batches.map(\.id), "what is claimed")
            try await store.close(
                failed.batches[0].id,
                worker: StoreSamples.worker,
                as: .store,
                now: StoreSamples.after(5)
            )
            try expectEqual(try await store.pruneAll(before: 4).notifications, 1, "what was called off")
            try expectEqual(try await store.pruneAll(before: 5).notifications, 1, "what expired")
            try expectEqual(try await store.pruneAll(before: 6).notifications, 1, "what failed")
        },
        Check("campaigns go with their notifications, once they have ended") { store in
            try await store.addSampleApp()
            let ended = try CampaignSamples.campaign()
            _ = try await store.run(ended, targets: 3)
            let claimed = try require(try await store.claim(.bulk).first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<3, failures: []), now: StoreSamples.after(10))
            let cancelled = try CampaignSamples.campaign(now: StoreSamples.after(1))
            try await store.createCampaign(cancelled)
            _ = try await store.cancelCampaign(cancelled.id, now: StoreSamples.after(20))
            let paused = try CampaignSamples.campaign(now: StoreSamples.after(2))
            try await store.createCampaign(paused)
            _ = try await store.pauseCampaign(paused.id, now: StoreSamples.after(2))
            let running = try CampaignSamples.campaign()
            _ = try await store.run(running, targets: 3, isLast: false)
            let part = try require(try await store.claim(.bulk).first, "the batch of the running one")
            try await store.settle(Settlement(of: part, range: 0..<3, failures: []), now: StoreSamples.after(4))
            let first = try await store.pruneAll(before: 11)
            try expectEqual(first, PrunedNotifications(notifications: 1, batches: 1), "what was removed")
            try expectEqual(try await store.campaign(ended.id), nil, "the ended campaign")
            try expectEqual(try await store.notification(ended.id.notification), nil, "its notification")
            let second = try await store.pruneAll(before: 1_000_000)
            try expectEqual(second, PrunedNotifications(notifications: 1), "what was removed then")
            let listed = try await store.campaigns(of: StoreSamples.app, after: nil, limit: 9)
            try expectEqual(listed.elements.map(\.campaign.id), [paused.id, running.id], "the campaigns that are left")
            try expectEqual(try await store.status(of: running).counts.delivered, 3, "what the running one delivered")
        },
        Check("screenings go like campaigns, once they have ended") { store in
            try await store.addSampleApp()
            let screenings = try (0..<2).map { try CampaignSamples.screening(now: StoreSamples.after(Double($0))) }
            for screening in screenings { try await store.createCampaign(screening) }
            _ = try await store.claimCampaigns(now: StoreSamples.after(1))
            _ = try await store.cancelCampaign(screenings[0].id, now: StoreSamples.after(10))
            try expectEqual(try await store.pruneAll(before: 10).notifications, 0, "what goes before its time")
            try expectEqual(try await store.pruneAll(before: 1_000_000).notifications, 1, "what was removed")
            try expectEqual(try await store.campaign(screenings[0].id), nil, "the cancelled screening")
            try expectEqual(try await store.status(of: screenings[1]).lifecycle.state, .running, "the other one")
        },
        Check("what is old is removed beside a campaign that is planned and sent, which loses nothing by it") { store in
            try await store.addSampleApp()
            for number in 0..<40 {
                try await store.accept(try StoreSamples.plan(now: StoreSamples.after(Double(number) / 1000)))
            }
            for batch in try await store.claim(limit: 100, now: StoreSamples.after(1)) {
                try await store.settle(Settlement(of: batch, range: 0..<1, failures: []), now: StoreSamples.after(1))
            }
            let campaign = try CampaignSamples.campaign()
            let begun = try await store.run(campaign, targets: 10, isLast: false)
            let removed = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var plan = begun
                    for step in 1..<12 {
                        let targets = step * 10..<step * 10 + 10
                        let next = try CampaignSamples.step(campaign, plan, targets: targets, isLast: step == 11)
                        try await store.advance(next)
                        plan = next.plan
                        for batch in try await store.claim(.bulk) {
                            let settlement = Settlement(of: batch, range: 0..<10, failures: [])
                            try await store.settle(settlement, now: StoreSamples.after(4))
                        }
                    }
                    return 0
                }
                group.addTask {
                    var removed = 0
                    for _ in 0..<10 { removed += try await store.pruneAll(before: 3).notifications }
                    return removed
                }
                return try await group.reduce(0, +)
            }
            try expectEqual(removed, 40, "how many were removed")
            let status = try await store.status(of: campaign)
            try expectEqual(status.lifecycle.state, .finished, "the state of the campaign")
            try expectEqual(status.counts, OutcomeCounts(delivered: 120), "what became of its targets")
            let last = try await store.pruneAll(before: 5)
            try expectEqual(last, PrunedNotifications(notifications: 1, batches: 12), "what goes at its time")
        },
        Check("one call removes a bounded part, and what it has begun with is gone for everybody") { store in
            try await store.addSampleApp()
            let large = try StoreSamples.plan(targets: 40_001)
            let small = try StoreSamples.plan(now: StoreSamples.after(1))
            try await store.accept(large)
            try await store.accept(small)
            for batch in try await store.claim() {
                let range = 0..<batch.batch.targets.count
                let failures = range.prefix(300).map { Settlement.Failure(index: $0, outcome: .failed(.deadline)) }
                let time = StoreSamples.after(batch.batch.notification == large.notification.id ? 1 : 2)
                try await store.settle(Settlement(of: batch, range: range, failures: failures), now: time)
            }
            var pruned = PrunedNotifications(hasMore: true)
            var calls = 0
            while pruned.notifications == 0 {
                try expect(pruned.hasMore, "it ended before everything was removed")
                pruned = try await store.pruneNotifications(settledBefore: StoreSamples.after(10), limit: 500)
                try expect(pruned.batches <= 2, "one call removed \(pruned.batches) batches")
                try expectEqual(try await store.notification(large.notification.id), nil, "what is removed")
                if pruned.notifications == 0 {
                    try expect(try await store.notification(small.notification.id) != nil, "the younger one has gone")
                }
                calls += 1
            }
            try expect(calls > 2, "everything was removed by \(calls) calls")
            _ = try await store.pruneAll(before: 10)
            try expectEqual(try await store.notification(small.notification.id), nil, "the younger one at the end")
            let batches = Set(large.batches.map(\.id))
            try expectEqual(try await store.outcomes(of: Array(batches)).count, 0, "how many batches are left")
        },
        Check("several processes remove what is old side by side, each notification once") { store in
            try await store.addSampleApp()
            for number in 0..<60 {
                try await store.accept(try StoreSamples.plan(now: StoreSamples.after(Double(number) / 1000)))
            }
            for batch in try await store.claim(limit: 100, now: StoreSamples.after(1)) {
                try await store.settle(Settlement(of: batch, range: 0..<1, failures: []), now: StoreSamples.after(1))
            }
            let removed = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<3 { group.addTask { try await store.pruneAll(before: 10).notifications } }
                return try await group.reduce(0, +)
            }
            let rest = try await store.pruneAll(before: 10).notifications
            try expectEqual(removed + rest, 60, "how many were removed")
        },
        Check("events, cursors and devices stay as they are") { store in
            try await store.addSampleApp()
            try await store.register(StoreSamples.registration(0), now: StoreSamples.now)
            try await store.accept(try StoreSamples.plan())
            let claimed = try require(try await store.claim().first, "the batch")
            let suspicion = Settlement.Failure(index: 0, outcome: StoreSamples.rejection(.badDeviceToken))
            let settlement = Settlement(of: claimed, range: 0..<1, failures: [suspicion])
            try await store.settle(settlement, now: StoreSamples.after(1))
            let events = try await store.allEvents()
            let devices = try await store.devices(of: StoreSamples.app, after: nil, limit: 9).elements
            try expectEqual(try await store.pruneAll(before: 10).notifications, 1, "how many were removed")
            try expectEqual(try await store.allEvents(), events, "the events")
            let left = try await store.devices(of: StoreSamples.app, after: nil, limit: 9).elements
            try expectEqual(left, devices, "the devices")
        },
        Check("of a stream that goes on the old chunks go, and it is still known how far it came") { store in
            try await store.addSampleApp()
            for line in 1...450 {
                try await store.append(StoreSamples.chunk(line..<line + 1, of: "long", at: Double(line)))
            }
            try await store.append(StoreSamples.chunk(1..<9, of: "short", at: 1))
            try expectEqual(try await store.pruneChunks(before: StoreSamples.after(421)), 420, "how many were removed")
            let left = try await store.chunks(of: "long", app: StoreSamples.app, after: 0, limit: 100)
            try expectEqual(left.map(\.lines.lowerBound), Array(421...450), "the lines that are left")
            try expectEqual(try await store.pruneChunks(before: StoreSamples.after(1000)), 29, "how many went then")
            let last = try await store.chunks(of: "long", app: StoreSamples.app, after: 0, limit: 100)
            try expectEqual(last.map(\.lines), [450..<451], "the last chunk")
            let accepted = try await store.acceptedLines(of: "long", app: StoreSamples.app)
            try expectEqual(accepted, 450, "the accepted lines")
            let short = try await store.chunks(of: "short", app: StoreSamples.app, after: 0, limit: 100)
            try expectEqual(short.count, 1, "how many chunks the other has")
            try await store.append(StoreSamples.chunk(451..<453, of: "long", at: 2000))
            let gone = try await store.acceptedLines(of: "long", app: StoreSamples.app)
            try expectEqual(gone, 452, "the accepted lines after that")
        },
    ]
}

extension RetentionStore {
    /// Removes what was settled before a time, some seconds after the beginning, in as many calls as it takes.
    fileprivate func pruneAll(before seconds: Double) async throws -> PrunedNotifications {
        var sum = PrunedNotifications()
        var pruned = PrunedNotifications(hasMore: true)
        while pruned.hasMore {
            pruned = try await self.pruneNotifications(settledBefore: StoreSamples.after(seconds), limit: 100)
            sum.notifications += pruned.notifications
            sum.batches += pruned.batches
        }
        return sum
    }
}
