// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: a Live Activity that is corrupt", .timeLimit(.minutes(20)))
struct CorruptActivityTests {
    @Test(
        "is set aside, and keeps none of the others from being carried out; when mended it goes on",
        arguments: TestStoreBackend.allCases
    )
    func setAside(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(3)
            for lesson in lessons { try await store.plan(#"{"status":"ending"}"#, "ending", lesson) }
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id = 'lesson 1'")
            let report = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(2700))
            #expect(Set(report.entries.map(\.activity)) == [lessons[0], lessons[2]], "what was carried out")
            let claimed = try await store.claimOne(now: StoreFixtures.after(2700))
            #expect(claimed.batch.targets.count == 2, "how many phones are sent to")
            let last = try #require(try await store.story(lessons[1]).last, "the last entry")
            #expect(last.kind == .quarantined, "what the timeline says")
            #expect(last.detail?.contains("cannot be read") == true, "the reason is \(last.detail ?? "none")")
            // An hour later it is looked at again; of that the timeline does not tell once more.
            let nextTime = try await store.nextActivityTime()
            #expect(nextTime == StoreFixtures.after(6300), "the next time")
            let again = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(6300))
            #expect(again == TransitionReport(setAside: 1), "what is done then")
            let count = try await store.story(lessons[1]).count { $0.kind == .quarantined }
            #expect(count == 1, "how often it is told")
            try await damage("UPDATE @activities SET content_state = @GOOD WHERE id = 'lesson 1'")
            let whole = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(9900))
            #expect(whole.entries.map(\.activity) == [lessons[1]], "what is done when it was mended")
            #expect(whole.entries.map(\.transition.state) == [.completed], "what became of it")
        }
    }

    @Test(
        "keeps nothing behind it from being prepared, nor from being carried out at once",
        arguments: TestStoreBackend.allCases
    )
    func preparing(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(5)
            for lesson in lessons { try await store.plan(#"{"status":"ending"}"#, "ending", lesson) }
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id <> 'lesson 4'")
            let due = StoreFixtures.after(2700)
            var prepared: [ActivityChangeSet] = []
            var cursor: Int64?
            repeat {
                let page = try await store.prepareTransitions(dueAt: due, after: cursor, limit: 2)
                prepared += page.elements
                cursor = page.next
            } while cursor != nil
            #expect(prepared.map(\.count) == [1], "what is prepared behind pages of which nothing can be read")
            let reports = [
                try await store.carryOutTransitions(limit: 2, now: due),
                try await store.carryOutTransitions(limit: 2, now: due),
                try await store.carryOutTransitions(limit: 2, now: due),
            ]
            try #require(reports.map(\.setAside) == [2, 2, 0], "how many are set aside")
            try #require(reports.map(\.hasMore) == [true, true, false], "whether there may be more")
            #expect(reports[2].entries.map(\.activity) == [lessons[4]], "what is carried out")
        }
    }

    @Test(
        "after it was prepared is carried out as it was read, unless that is another by then",
        arguments: TestStoreBackend.allCases
    )
    func prepared(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(4)
            for lesson in lessons { try await store.plan(#"{"status":"ending"}"#, "ending", lesson) }
            let due = StoreFixtures.after(2700)
            let prepared = try await store.prepareTransitions(dueAt: due, after: nil, limit: 100).elements
            try #require(prepared.map(\.count) == [4], "how many are prepared")
            _ = try await store.change(ActivityFixtures.patch(#"{"n":1}"#), lessons[1], now: StoreFixtures.after(2699))
            for claimed in try await store.claim(now: StoreFixtures.after(2699)) {
                try await store.settleAll(claimed, now: StoreFixtures.after(2699))
            }
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id IN ('lesson 0', 'lesson 1')")
            try await damage("UPDATE @activity_participants SET origin = 7 WHERE installation = 'phone 2'")
            let done = try await store.carryOut(prepared[0], now: due)
            let ids = Set(done.entries.map(\.activity))
            #expect(ids == [lessons[0], lessons[2], lessons[3]], "what is carried out as it was prepared")
            // It is whole again, by what was read of it before.
            let state = try await store.lesson(lessons[0]).lifecycle.contentState
            let contentExpected = try RawJSONObject(json: #"{"status":"ending"}"#)
            #expect(state == contentExpected, "the content")
            let report = try await store.carryOutTransitions(limit: 100, now: due)
            #expect(report.setAside == 1, "how many are set aside")
            #expect(report.entries.isEmpty, "what is carried out as it is found")
            let phones = try await store.phones(lessons[2]).map(\.state)
            #expect(phones == [.ended(reason: "corrupt")], "the phone that cannot be read")
            let tokens = try await store.claim(now: due).flatMap { Array($0.batch.targets) }
            let expected = try [0, 2, 3].map { try StoreFixtures.target($0) }
            #expect(Set(tokens) == Set(expected), "who is sent to")
        }
    }

    @Test(
        "is set aside by its rollout, once; when mended that goes on where it was",
        arguments: TestStoreBackend.allCases
    )
    func rollout(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            _ = try await store.addRollout()
            var rollout = try await store.rollOut(
                RolloutFixtures.shard(try await store.claimRollout(), phones: [1])
            )
            try await damage("UPDATE @activities SET content_state = @BAD")
            for hour in 0...2 {
                let now = StoreFixtures.after(Double(3600 * hour))
                if hour > 0 { rollout = try await store.claimRollout(now: now) }
                rollout = try await store.rollOut(RolloutFixtures.shard(rollout, phones: [2]), now: now)
                #expect(rollout.state == .running, "the rollout")
                #expect(rollout.planner == nil, "who goes on with it")
                #expect(rollout.setbacks == 0, "how often it failed")
                let early = try await store.claimRollouts(
                    planner: RolloutFixtures.otherPlanner,
                    limit: 10,
                    leaseDuration: RolloutFixtures.lease,
                    now: now.addingTimeInterval(3599)
                )
                #expect(early.count == 0, "how many can be claimed within the hour")
            }
            let told = try await store.story().map(\.kind)
            #expect(told.count { $0 == .quarantined } == 1, "how often it is told")
            try await damage("UPDATE @activities SET content_state = @GOOD")
            let late = StoreFixtures.after(3 * 3600)
            rollout = try await store.claimRollout(now: late)
            rollout = try await store.rollOut(RolloutFixtures.shard(rollout, phones: [2], isLast: true), now: late)
            #expect(rollout.state == .completed, "the rollout in the end")
            #expect(rollout.progress.counts.startsSent == 2, "how many were started")
        }
    }

    @Test("has its rollout stopped when it is over", arguments: TestStoreBackend.allCases)
    func rolloutOfEnded(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let first = try await store.addRollout()
            var rollout = try await store.rollOut(
                RolloutFixtures.shard(try await store.claimRollout(), phones: [1])
            )
            try await damage("UPDATE @activities SET alert = '['")
            // A start is taken for 8 hours, and what it starts is shown for 8 more.
            let late = StoreFixtures.after(16 * 3600)
            rollout = try await store.claimRollout(by: RolloutFixtures.otherPlanner, now: late)
            rollout = try await store.rollOut(
                RolloutFixtures.shard(rollout, phones: [2]),
                by: RolloutFixtures.otherPlanner,
                now: late
            )
            #expect(rollout.state == .stopped, "the rollout of what is over")
            #expect(rollout.progress.reason?.contains("cannot be read") == true, "it does not say why")
            let closed = try await store.notification(first.id.notification)
            #expect(closed?.isOpen == false, "whether its notification is open")
        }
    }

    @Test("lets a rollout be given up that fails time and again", arguments: TestStoreBackend.allCases)
    func failingRollout(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            _ = try await store.addRollout()
            let rollout = try await store.claimRollout()
            try await damage("UPDATE @activities SET alert = '['")
            try await store.release(
                rollout.id,
                planner: RolloutFixtures.planner,
                as: .failed(reason: "for a test"),
                now: StoreFixtures.now
            )
            let reason = try await store.rollout().progress.reason
            #expect(reason == "for a test", "why it was stopped")
            let closed = try await store.notification(rollout.id.notification)
            #expect(closed?.isOpen == false, "whether its notification is open")
        }
    }

    @Test(
        "whose phones do not show it any more is over, and is removed in its turn",
        arguments: TestStoreBackend.allCases
    )
    func expire(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(2)
            try await damage("UPDATE @activities SET alert = '[' WHERE id = 'lesson 1'")
            let late = StoreFixtures.after(8 * 3600)
            _ = try await store.carryOutTransitions(limit: 100, now: late)
            #expect(try await store.nextActivityTime() == nil, "the next time")
            let others = try await store.activities(of: StoreFixtures.app, matching: .init(), after: nil, limit: 10)
            #expect(others.elements.map(\.id) == [lessons[0]], "what can be listed")
            try await store.removeActivities(overBefore: late.addingTimeInterval(1), limit: 1000)
            #expect(try await store.activity(lessons[1], of: StoreFixtures.app) == nil, "what is left of it")
        }
    }

    @Test("is refused in a call that changes many, and the others are changed", arguments: TestStoreBackend.allCases)
    func refuse(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(3)
            try await damage("UPDATE @activities SET channel = '[' WHERE id = 'lesson 1'")
            let change = try ActivityFixtures.patch(#"{"n":1}"#)
            let orders = (lessons + ["unknown"]).map { ActivityUpdate(activity: $0, change: change) }
            let results = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            #expect(results[1] == .refused(.damaged), "what became of it")
            #expect(results[3] == .unknown, "what became of one that is not there")
            let lifecycleVersion = try await store.lesson(lessons[2]).lifecycle.version
            #expect(lifecycleVersion == 2, "the version of another one")
            let dry = try await store.estimate(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            #expect(dry[1] == .refused(.damaged), "what would become of it")
        }
    }

    @Test(
        "keeps no batch from being settled, and no other phone from what is newest",
        arguments: TestStoreBackend.allCases
    )
    func settle(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(2)
            for number in 1...2 {
                let orders = try lessons.map {
                    ActivityUpdate(activity: $0, change: try ActivityFixtures.patch(#"{"n":\#(number)}"#))
                }
                _ = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            }
            let first = try await store.claimOne()
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id = 'lesson 0'")
            try await store.settleAll(first)
            let second = try await store.claimOne()
            let expected: TargetList = [try StoreFixtures.target(1)]
            #expect(second.batch.targets == expected, "who is sent to")
            try await store.settleAll(second)
        }
    }

    @Test("keeps no other from being sent on to very many phones", arguments: TestStoreBackend.allCases)
    func sendOn(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(2)
            for lesson in lessons { _ = try await store.change(ActivityFixtures.patch(#"{"n":1}"#), lesson) }
            for claimed in try await store.claim() { try await store.settleAll(claimed) }
            let next = try await store.nextActivityTime()
            try await damage("UPDATE @activities SET left_to_send = 1, version = 3")
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id = 'lesson 0'")
            try await store.sendOn()
            let claimed = try await store.claimOne()
            let expected: TargetList = [try StoreFixtures.target(1)]
            #expect(claimed.batch.targets == expected, "who is sent to")
            let foundKind = try await store.story(lessons[0]).last?.kind
            #expect(foundKind == .quarantined, "what the timeline says")
            let nextTime = try await store.nextActivityTime()
            #expect(nextTime == next, "the next time, at which something is due")
        }
    }

    @Test("by a single transition leaves that out, and carries out the others", arguments: TestStoreBackend.allCases)
    func transition(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lesson = try await store.addLessons(1)[0]
            try await store.plan(#"{"a":1}"#, "a", lesson)
            try await store.plan(#"{"b":1}"#, "b", lesson)
            try await damage("UPDATE @activity_transitions SET plan = '{}' WHERE key = 'a'")
            let report = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(2700))
            #expect(report.entries.map(\.transition.state) == [.skipped, .completed], "what became of them")
            let skipped = try await store.story(lesson).first { $0.kind == .transitionSkipped }
            #expect(skipped?.detail == "a: the stored transition is corrupt", "what the timeline says")
            let listed = try await store.transitions(of: lesson, app: StoreFixtures.app)
            #expect(listed.map(\.isReadable) == [false, true], "what can be read of them")
            // An instant that moves leaves it alone; planned anew it is whole.
            try await store.plan(#"{"a":2}"#, "a", lesson)
            let state = try await store.transitions(of: lesson, app: StoreFixtures.app)[0].state
            #expect(state == .scheduled, "anew")
        }
    }

    @Test(
        "by a single phone sends to the others, and to it when its app tells a token",
        arguments: TestStoreBackend.allCases
    )
    func phone(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addLesson(phones: [1, 2])
            try await damage("UPDATE @activity_participants SET origin = 7 WHERE installation = 'phone 1'")
            let receipt = try await store.change(ActivityFixtures.patch(#"{"n":1}"#))
            #expect(receipt.sent == 1, "how many are sent to")
            let states = try await store.phones().map(\.state)
            #expect(states == [.ended(reason: "corrupt"), .active], "the phones")
            let upload = try ActivityFixtures.upload(1, issued: 60)
            let back = try await store.tell(upload, now: StoreFixtures.after(60))
            #expect(back?.sent == 1, "what it is sent when it is back")
            let phones = try await store.phones().map(\.state)
            #expect(phones == [.active, .active], "the phones then")
        }
    }

    @Test("by its type's schema is carried out without it", arguments: TestStoreBackend.allCases)
    func schema(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lesson = try await store.addLessons(1)[0]
            try await store.plan(#"{"a":1}"#, "a", lesson)
            let type = try ActivityFixtures.registered(#"{"type":"object"}"#)
            _ = try await store.keep(type)
            try await damage("UPDATE @activity_types SET content_state = @BAD")
            let prepared = try await store.prepareTransitions(dueAt: StoreFixtures.after(2700), after: nil, limit: 100)
            #expect(prepared.elements.map(\.count) == [1], "what is prepared of it")
            let report = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(2700))
            #expect(report.entries.map(\.transition.state) == [.completed], "what became of it")
        }
    }

    @Test(
        "by its type's schema takes no other state, until the type is registered anew",
        arguments: TestStoreBackend.allCases
    )
    func schemaRefuses(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lesson = try await store.addLessons(1)[0]
            let type = try ActivityFixtures.registered(#"{"type":"object"}"#)
            #expect(try await store.keep(type), "the type was there")
            try await damage("UPDATE @activity_types SET content_state = @BAD")
            let orders = [ActivityUpdate(activity: lesson, change: try ActivityFixtures.patch(#"{"n":1}"#))]
            let refused = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            #expect(refused == [.refused(.damaged)], "what becomes of a state that cannot be checked")
            #expect(try await !store.keep(type), "whether it is new")
            _ = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            let lifecycleVersion = try await store.lesson(lesson).lifecycle.version
            #expect(lifecycleVersion == 2, "the version then")
        }
    }
}

extension ActivityStore where Self: BatchStore & AppStore {
    /// Adds lessons, each of which one phone shows.
    fileprivate func addLessons(_ count: Int) async throws -> [ActivityID] {
        let lessons = (0..<count).map { ActivityID(unchecked: "lesson \($0)") }
        for (number, lesson) in lessons.enumerated() { try await self.addLesson(lesson, phones: [number]) }
        return lessons
    }

    /// Plans a change for a quarter of an hour before a lesson ends.
    fileprivate func plan(_ patch: String, _ key: TransitionKey, _ lesson: ActivityID) async throws {
        let plan = ActivityFixtures.plan(key, seconds: -900, try ActivityFixtures.patch(patch))
        _ = try await self.plan([plan], for: lesson, of: StoreFixtures.app, now: StoreFixtures.now)
    }
}
