// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: retention", .timeLimit(.minutes(20)))
struct RetentionTests {
    @Test(
        "what was settled long ago goes with all that belongs to it, and nothing else does",
        arguments: TestStoreBackend.allCases
    )
    func removeSettled(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = try (0..<3).map { try StoreFixtures.plan(targets: 3, now: StoreFixtures.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            for (number, batch) in try await store.claim().enumerated() {
                let failure = Settlement.Failure(index: 1, outcome: .failed(.timeout))
                let settlement = Settlement(of: batch, range: 0..<3, failures: [failure])
                try await store.settle(settlement, now: StoreFixtures.after(100 * Double(number + 1)))
            }
            // The first and the second were settled after 100 and 200 seconds.
            let pruned = try await store.pruneAll(before: 201)
            #expect(pruned == PrunedNotifications(notifications: 2, batches: 2), "what was removed")
            for plan in plans[..<2] {
                let id = plan.notification.id
                #expect(try await store.notification(id) == nil, "an old notification")
                #expect(try await store.batch(plan.batches[0].id) == nil, "its batch")
                let failuresThen = try await store.failures(of: id, after: nil, limit: 9).elements
                #expect(failuresThen == [], "its failures")
                let letters = try await store.deadLetters(of: id, matching: FailureFilter(), after: nil, limit: 9)
                #expect(letters.elements == [], "its dead letters")
                let outcome = try await store.outcome(of: plan.batches[0].id.apnsID(at: 1))
                #expect(outcome == nil, "the outcome of a target")
            }
            let left = try #require(try await store.notification(plans[2].notification.id), "the young notification")
            #expect(left.counts == OutcomeCounts(delivered: 2, failed: [.timeout: 1]), "its counts")
            let failures = try await store.failures(of: left.notification.id, after: nil, limit: 9)
            #expect(failures.elements.count == 1, "how many failures it has")
            let letters = try await store.deadLetters(
                of: left.notification.id,
                matching: FailureFilter(),
                after: nil,
                limit: 9
            )
            #expect(letters.elements == failures.elements, "its dead letters")
            let batch = plans[2].batches[0]
            let batchThen = try await store.batch(batch.id)
            #expect(batchThen == batch, "its batch")
            let prunedThen = try await store.pruneAll(before: 201)
            #expect(prunedThen == PrunedNotifications(), "what goes the second time")
        }
    }

    @Test(
        "what is not settled stays, however old it is: waiting, leased, or sent in part",
        arguments: TestStoreBackend.allCases
    )
    func keepUnsettled(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plans = try (0..<3).map { try StoreFixtures.plan(targets: 2, now: StoreFixtures.after(Double($0))) }
            for plan in plans { try await store.accept(plan) }
            let claimed = try await store.claim(limit: 2)
            try await store.settle(Settlement(of: claimed[1], range: 0..<1, failures: []), now: StoreFixtures.now)
            let pruned = try await store.pruneAll(before: 1_000_000_000)
            #expect(pruned == PrunedNotifications(), "what was removed")
            for plan in plans {
                let status = try #require(try await store.notification(plan.notification.id), "a notification")
                #expect(status.batches.count == 1, "how many batches it has")
            }
            // A lease is kept to: what is settled late has its time from then on.
            try await store.settle(Settlement(of: claimed[0], range: 0..<2, failures: []), now: StoreFixtures.after(50))
            let notifications = try await store.pruneAll(before: 50).notifications
            #expect(notifications == 0, "what goes before its time")
            let prunedNotifications = try await store.pruneAll(before: 51).notifications
            #expect(prunedNotifications == 1, "what goes at its time")
        }
    }

    @Test("what expired, failed or was called off is settled by that", arguments: TestStoreBackend.allCases)
    func settledOtherwise(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let expired = try StoreFixtures.plan(expiresAt: StoreFixtures.after(1))
            let cancelled = try StoreFixtures.plan(now: StoreFixtures.after(1))
            let failed = try StoreFixtures.plan(now: StoreFixtures.after(2))
            for plan in [expired, cancelled, failed] { try await store.accept(plan) }
            try await store.cancel(cancelled.notification.id, now: StoreFixtures.after(3))
            let claimed = try await store.claim(now: StoreFixtures.after(4))
            #expect(claimed.map(\.batch.id) == failed.batches.map(\.id), "what is claimed")
            try await store.close(
                failed.batches[0].id,
                worker: StoreFixtures.worker,
                as: .storeError,
                now: StoreFixtures.after(5)
            )
            let notifications = try await store.pruneAll(before: 4).notifications
            #expect(notifications == 1, "what was called off")
            let prunedNotifications = try await store.pruneAll(before: 5).notifications
            #expect(prunedNotifications == 1, "what expired")
            let failedNotifications = try await store.pruneAll(before: 6).notifications
            #expect(failedNotifications == 1, "what failed")
        }
    }

    @Test("campaigns go with their notifications, once they have ended", arguments: TestStoreBackend.allCases)
    func campaigns(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let ended = try CampaignFixtures.campaign()
            _ = try await store.run(ended, targets: 3)
            let claimed = try #require(try await store.claim(.bulk).first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<3, failures: []), now: StoreFixtures.after(10))
            let cancelled = try CampaignFixtures.campaign(now: StoreFixtures.after(1))
            try await store.createCampaign(cancelled)
            _ = try await store.cancelCampaign(cancelled.id, now: StoreFixtures.after(20))
            let paused = try CampaignFixtures.campaign(now: StoreFixtures.after(2))
            try await store.createCampaign(paused)
            _ = try await store.pauseCampaign(paused.id, now: StoreFixtures.after(2))
            let running = try CampaignFixtures.campaign()
            _ = try await store.run(running, targets: 3, isLast: false)
            let part = try #require(try await store.claim(.bulk).first, "the batch of the running one")
            try await store.settle(Settlement(of: part, range: 0..<3, failures: []), now: StoreFixtures.after(4))
            let first = try await store.pruneAll(before: 11)
            #expect(first == PrunedNotifications(notifications: 1, batches: 1), "what was removed")
            #expect(try await store.campaign(ended.id) == nil, "the ended campaign")
            #expect(try await store.notification(ended.id.notification) == nil, "its notification")
            let second = try await store.pruneAll(before: 1_000_000)
            #expect(second == PrunedNotifications(notifications: 1), "what was removed then")
            let listed = try await store.campaigns(of: StoreFixtures.app, after: nil, limit: 9)
            #expect(listed.elements.map(\.campaign.id) == [paused.id, running.id], "the campaigns that are left")
            let runningOneDelivered = try await store.status(of: running).counts.delivered
            #expect(runningOneDelivered == 3, "what the running one delivered")
        }
    }

    @Test("completed token validations are deleted like campaigns", arguments: TestStoreBackend.allCases)
    func tokenValidations(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let validations = try (0..<2).map {
                try CampaignFixtures.tokenValidation(now: StoreFixtures.after(Double($0)))
            }
            for validation in validations { try await store.createCampaign(validation) }
            _ = try await store.claimCampaigns(now: StoreFixtures.after(1))
            _ = try await store.cancelCampaign(validations[0].id, now: StoreFixtures.after(10))
            let notifications = try await store.pruneAll(before: 10).notifications
            #expect(notifications == 0, "what goes before its time")
            let prunedNotifications = try await store.pruneAll(before: 1_000_000).notifications
            #expect(prunedNotifications == 1, "what was removed")
            #expect(try await store.campaign(validations[0].id) == nil, "the cancelled token validation")
            let state = try await store.status(of: validations[1]).lifecycle.state
            #expect(state == .running, "the other one")
        }
    }

    @Test(
        "what is old is removed beside a campaign that is planned and sent, which loses nothing by it",
        arguments: TestStoreBackend.allCases
    )
    func besideCampaign(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<40 {
                try await store.accept(try StoreFixtures.plan(now: StoreFixtures.after(Double(number) / 1000)))
            }
            for batch in try await store.claim(limit: 100, now: StoreFixtures.after(1)) {
                try await store.settle(Settlement(of: batch, range: 0..<1, failures: []), now: StoreFixtures.after(1))
            }
            let campaign = try CampaignFixtures.campaign()
            let begun = try await store.run(campaign, targets: 10, isLast: false)
            let removed = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var plan = begun
                    for step in 1..<12 {
                        let targets = step * 10..<step * 10 + 10
                        let next = try CampaignFixtures.step(campaign, plan, targets: targets, isLast: step == 11)
                        try await store.advance(next)
                        plan = next.plan
                        for batch in try await store.claim(.bulk) {
                            let settlement = Settlement(of: batch, range: 0..<10, failures: [])
                            try await store.settle(settlement, now: StoreFixtures.after(4))
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
            #expect(removed == 40, "how many were removed")
            let status = try await store.status(of: campaign)
            #expect(status.lifecycle.state == .completed, "the state of the campaign")
            #expect(status.counts == OutcomeCounts(delivered: 120), "what became of its targets")
            let last = try await store.pruneAll(before: 5)
            #expect(last == PrunedNotifications(notifications: 1, batches: 12), "what goes at its time")
        }
    }

    @Test(
        "one call removes a bounded part, and what it has begun with is gone for everybody",
        arguments: TestStoreBackend.allCases
    )
    func bounded(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let large = try StoreFixtures.plan(targets: 40_001)
            let small = try StoreFixtures.plan(now: StoreFixtures.after(1))
            try await store.accept(large)
            try await store.accept(small)
            for batch in try await store.claim() {
                let range = 0..<batch.batch.targets.count
                let failures = range.prefix(300).map { Settlement.Failure(index: $0, outcome: .failed(.timeout)) }
                let time = StoreFixtures.after(batch.batch.notification == large.notification.id ? 1 : 2)
                try await store.settle(Settlement(of: batch, range: range, failures: failures), now: time)
            }
            var pruned = PrunedNotifications(hasMore: true)
            var calls = 0
            while pruned.notifications == 0 {
                #expect(pruned.hasMore, "it ended before everything was removed")
                pruned = try await store.pruneNotifications(settledBefore: StoreFixtures.after(10), limit: 500)
                #expect(pruned.batches <= 2, "one call removed \(pruned.batches) batches")
                #expect(try await store.notification(large.notification.id) == nil, "what is removed")
                if pruned.notifications == 0 {
                    #expect(try await store.notification(small.notification.id) != nil, "the younger one has gone")
                }
                calls += 1
            }
            #expect(calls > 2, "everything was removed by \(calls) calls")
            _ = try await store.pruneAll(before: 10)
            #expect(try await store.notification(small.notification.id) == nil, "the younger one at the end")
            let batches = Set(large.batches.map(\.id))
            let outcomeCount = try await store.outcomes(of: Array(batches)).count
            #expect(outcomeCount == 0, "how many batches are left")
        }
    }

    @Test(
        "several processes remove what is old side by side, each notification once",
        arguments: TestStoreBackend.allCases
    )
    func concurrentProcesses(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<60 {
                try await store.accept(try StoreFixtures.plan(now: StoreFixtures.after(Double(number) / 1000)))
            }
            for batch in try await store.claim(limit: 100, now: StoreFixtures.after(1)) {
                try await store.settle(Settlement(of: batch, range: 0..<1, failures: []), now: StoreFixtures.after(1))
            }
            let removed = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<3 { group.addTask { try await store.pruneAll(before: 10).notifications } }
                return try await group.reduce(0, +)
            }
            let rest = try await store.pruneAll(before: 10).notifications
            #expect(removed + rest == 60, "how many were removed")
        }
    }

    @Test("events, cursors and devices stay as they are", arguments: TestStoreBackend.allCases)
    func keepOthers(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register(StoreFixtures.registration(0), now: StoreFixtures.now)
            try await store.accept(try StoreFixtures.plan())
            let claimed = try #require(try await store.claim().first, "the batch")
            let suspicion = Settlement.Failure(index: 0, outcome: StoreFixtures.rejection(.badDeviceToken))
            let settlement = Settlement(of: claimed, range: 0..<1, failures: [suspicion])
            try await store.settle(settlement, now: StoreFixtures.after(1))
            let events = try await store.allEvents()
            let devices = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 9).elements
            let notifications = try await store.pruneAll(before: 10).notifications
            #expect(notifications == 1, "how many were removed")
            let eventsThen = try await store.allEvents()
            #expect(eventsThen == events, "the events")
            let left = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 9).elements
            #expect(left == devices, "the devices")
        }
    }

    @Test(
        "of a stream that goes on the old chunks go, and it is still known how far it came",
        arguments: TestStoreBackend.allCases
    )
    func streamChunks(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for line in 1...450 {
                try await store.append(StoreFixtures.chunk(line..<line + 1, of: "long", at: Double(line)))
            }
            try await store.append(StoreFixtures.chunk(1..<9, of: "short", at: 1))
            let pruned = try await store.pruneChunks(before: StoreFixtures.after(421))
            #expect(pruned == 420, "how many were removed")
            let left = try await store.chunks(of: "long", app: StoreFixtures.app, after: 0, limit: 100)
            #expect(left.map(\.lines.lowerBound) == Array(421...450), "the lines that are left")
            let prunedThen = try await store.pruneChunks(before: StoreFixtures.after(1000))
            #expect(prunedThen == 29, "how many went then")
            let last = try await store.chunks(of: "long", app: StoreFixtures.app, after: 0, limit: 100)
            #expect(last.map(\.lines) == [450..<451], "the last chunk")
            let accepted = try await store.acceptedLines(of: "long", app: StoreFixtures.app)
            #expect(accepted == 450, "the accepted lines")
            let short = try await store.chunks(of: "short", app: StoreFixtures.app, after: 0, limit: 100)
            #expect(short.count == 1, "how many chunks the other has")
            try await store.append(StoreFixtures.chunk(451..<453, of: "long", at: 2000))
            let gone = try await store.acceptedLines(of: "long", app: StoreFixtures.app)
            #expect(gone == 452, "the accepted lines after that")
        }
    }
}

extension RetentionStore {
    /// Removes what was settled before a time, some seconds after the beginning, in as many calls as it takes.
    fileprivate func pruneAll(before seconds: Double) async throws -> PrunedNotifications {
        var sum = PrunedNotifications()
        var pruned = PrunedNotifications(hasMore: true)
        while pruned.hasMore {
            pruned = try await self.pruneNotifications(settledBefore: StoreFixtures.after(seconds), limit: 100)
            sum.notifications += pruned.notifications
            sum.batches += pruned.batches
        }
        return sum
    }
}
