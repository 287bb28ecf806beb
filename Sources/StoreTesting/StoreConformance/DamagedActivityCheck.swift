// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
package import PushStore

/// What a store makes of Live Activities that cannot be read, as a list of checks that its tests run.
///
/// How something is damaged is said in SQL, which the tests bring into the form of their store: `@table` stands for a table,
/// `@BAD` for a byte that is no JSON, and `@GOOD` for an empty object.
package struct DamagedActivityCheck: Sendable, CustomStringConvertible {
    /// Runs a statement beside the store.
    package typealias Damage = @Sendable (String) async throws -> Void

    package let description: String

    private let body: @Sendable (any PushStore, Damage) async throws -> Void

    private init(_ name: String, _ body: @escaping @Sendable (any PushStore, Damage) async throws -> Void) {
        self.description = name
        self.body = body
    }

    /// Runs the check on an empty store that nobody else uses.
    package func run(on store: any PushStore, damage: @escaping Damage) async throws {
        try await self.body(store, damage)
    }

    /// All checks.
    package static let all = [
        DamagedActivityCheck(
            "is set aside, and keeps none of the others from being carried out; when mended it goes on"
        ) {
            store,
            damage in
            let lessons = try await store.addLessons(3)
            for lesson in lessons { try await store.plan(#"{"status":"ending"}"#, "ending", lesson) }
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id = 'lesson 1'")
            let report = try await store.carryOutTransitions(limit: 100, now: StoreSamples.after(2700))
            try expectEqual(Set(report.entries.map(\.activity)), [lessons[0], lessons[2]], "what was carried out")
            let claimed = try await store.claimOne(now: StoreSamples.after(2700))
            try expectEqual(claimed.batch.targets.count, 2, "how many phones are sent to")
            let last = try require(try await store.story(lessons[1]).last, "the last entry")
            try expectEqual(last.kind, .setAside, "what the timeline says")
            try expect(last.detail?.contains("cannot be read") == true, "the reason is \(last.detail ?? "none")")
            // An hour later it is looked at again; of that the timeline does not tell once more.
            try expectEqual(try await store.nextActivityTime(), StoreSamples.after(6300), "the next time")
            let again = try await store.carryOutTransitions(limit: 100, now: StoreSamples.after(6300))
            try expectEqual(again, TransitionReport(setAside: 1), "what is done then")
            try expectEqual(try await store.story(lessons[1]).count { $0.kind == .setAside }, 1, "how often it is told")
            try await damage("UPDATE @activities SET content_state = @GOOD WHERE id = 'lesson 1'")
            let whole = try await store.carryOutTransitions(limit: 100, now: StoreSamples.after(9900))
            try expectEqual(whole.entries.map(\.activity), [lessons[1]], "what is done when it was mended")
            try expectEqual(whole.entries.map(\.transition.state), [.done], "what became of it")
        },
        DamagedActivityCheck("keeps nothing behind it from being prepared, nor from being carried out at once") {
            store,
            damage in
            let lessons = try await store.addLessons(5)
            for lesson in lessons { try await store.plan(#"{"status":"ending"}"#, "ending", lesson) }
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id <> 'lesson 4'")
            let due = StoreSamples.after(2700)
            var prepared: [PreparedTransitions] = []
            var cursor: Int64?
            repeat {
                let page = try await store.prepareTransitions(dueAt: due, after: cursor, limit: 2)
                prepared += page.elements
                cursor = page.next
            } while cursor != nil
            try expectEqual(prepared.map(\.count), [1], "what is prepared behind pages of which nothing can be read")
            let reports = [
                try await store.carryOutTransitions(limit: 2, now: due),
                try await store.carryOutTransitions(limit: 2, now: due),
                try await store.carryOutTransitions(limit: 2, now: due),
            ]
            try expectEqual(reports.map(\.setAside), [2, 2, 0], "how many are set aside")
            try expectEqual(reports.map(\.hasMore), [true, true, false], "whether there may be more")
            try expectEqual(reports[2].entries.map(\.activity), [lessons[4]], "what is carried out")
        },
        DamagedActivityCheck("after it was prepared is carried out as it was read, unless that is another by then") {
            store,
            damage in
            let lessons = try await store.addLessons(4)
            for lesson in lessons { try await store.plan(#"{"status":"ending"}"#, "ending", lesson) }
            let due = StoreSamples.after(2700)
            let prepared = try await store.prepareTransitions(dueAt: due, after: nil, limit: 100).elements
            try expectEqual(prepared.map(\.count), [4], "how many are prepared")
            _ = try await store.change(ActivitySamples.patch(#"{"n":1}"#), lessons[1], now: StoreSamples.after(2699))
            for claimed in try await store.claim(now: StoreSamples.after(2699)) {
                try await store.settleAll(claimed, now: StoreSamples.after(2699))
            }
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id IN ('lesson 0', 'lesson 1')")
            try await damage("UPDATE @activity_participants SET origin = 7 WHERE installation = 'phone 2'")
            let done = try await store.carryOut(prepared[0], now: due)
            let ids = Set(done.entries.map(\.activity))
            try expectEqual(ids, [lessons[0], lessons[3]], "what is carried out as it was prepared")
            // It is whole again, by what was read of it before.
            let state = try await store.lesson(lessons[0]).lifecycle.contentState
            try expectEqual(state, try JSONFragment(json: #"{"status":"ending"}"#), "the content")
            let report = try await store.carryOutTransitions(limit: 100, now: due)
            try expectEqual(report.setAside, 1, "how many are set aside")
            try expectEqual(report.entries.map(\.activity), [lessons[2]], "what is carried out as it is found")
            let phones = try await store.phones(lessons[2]).map(\.state)
            try expectEqual(phones, [.gone(reason: "damaged")], "the phone that cannot be read")
            let tokens = try await store.claim(now: due).flatMap { Array($0.batch.targets) }
            let expected = try [0, 3].map { try StoreSamples.target($0) }
            try expectEqual(Set(tokens), Set(expected), "who is sent to")
        },
        DamagedActivityCheck("is set aside by its rollout, once; when mended that goes on where it was") {
            store,
            damage in
            _ = try await store.addRollout()
            var rollout = try await store.rollOut(
                RolloutSamples.shard(try await store.claimRollout(), phones: [1])
            )
            try await damage("UPDATE @activities SET content_state = @BAD")
            for hour in 0...2 {
                let now = StoreSamples.after(Double(3600 * hour))
                if hour > 0 { rollout = try await store.claimRollout(now: now) }
                rollout = try await store.rollOut(RolloutSamples.shard(rollout, phones: [2]), now: now)
                try expectEqual(rollout.state, .running, "the rollout")
                try expectEqual(rollout.planner, nil, "who goes on with it")
                try expectEqual(rollout.setbacks, 0, "how often it failed")
                let early = try await store.claimRollouts(
                    planner: RolloutSamples.otherPlanner,
                    limit: 10,
                    leaseDuration: RolloutSamples.lease,
                    now: now.addingTimeInterval(3599)
                )
                try expectEqual(early.count, 0, "how many can be claimed within the hour")
            }
            let told = try await store.story().map(\.kind)
            try expectEqual(told.count { $0 == .setAside }, 1, "how often it is told")
            try await damage("UPDATE @activities SET content_state = @GOOD")
            let late = StoreSamples.after(3 * 3600)
            rollout = try await store.claimRollout(now: late)
            rollout = try await store.rollOut(RolloutSamples.shard(rollout, phones: [2], isLast: true), now: late)
            try expectEqual(rollout.state, .done, "the rollout in the end")
            try expectEqual(rollout.progress.counts.invited, 2, "how many were invited")
        },
        DamagedActivityCheck("has its rollout stopped when it is over") { store, damage in
            let first = try await store.addRollout()
            var rollout = try await store.rollOut(
                RolloutSamples.shard(try await store.claimRollout(), phones: [1])
            )
            try await damage("UPDATE @activities SET alert = '['")
            // A start is taken for 8 hours, and what it starts is shown for 8 more.
            let late = StoreSamples.after(16 * 3600)
            rollout = try await store.claimRollout(by: RolloutSamples.otherPlanner, now: late)
            rollout = try await store.rollOut(
                RolloutSamples.shard(rollout, phones: [2]),
                by: RolloutSamples.otherPlanner,
                now: late
            )
            try expectEqual(rollout.state, .stopped, "the rollout of what is over")
            try expect(rollout.progress.reason?.contains("cannot be read") == true, "it does not say why")
            let closed = try await store.notification(first.id.notification)
            try expectEqual(closed?.isOpen, false, "whether its notification is open")
        },
        DamagedActivityCheck("lets a rollout be given up that fails time and again") { store, damage in
            _ = try await store.addRollout()
            let rollout = try await store.claimRollout()
            try await damage("UPDATE @activities SET alert = '['")
            try await store.release(
                rollout.id,
                planner: RolloutSamples.planner,
                as: .failed(reason: "for a test"),
                now: StoreSamples.now
            )
            try expectEqual(try await store.rollout().progress.reason, "for a test", "why it was stopped")
            let closed = try await store.notification(rollout.id.notification)
            try expectEqual(closed?.isOpen, false, "whether its notification is open")
        },
        DamagedActivityCheck("whose phones do not show it any more is over, and is removed in its turn") {
            store,
            damage in
            let lessons = try await store.addLessons(2)
            try await damage("UPDATE @activities SET alert = '[' WHERE id = 'lesson 1'")
            let late = StoreSamples.after(8 * 3600)
            _ = try await store.carryOutTransitions(limit: 100, now: late)
            try expectEqual(try await store.nextActivityTime(), nil, "the next time")
            let others = try await store.activities(of: StoreSamples.app, matching: .init(), after: nil, limit: 10)
            try expectEqual(others.elements.map(\.id), [lessons[0]], "what can be listed")
            for _ in 0..<2 { try await store.removeActivities(overBefore: late.addingTimeInterval(1), limit: 1000) }
            try expectEqual(try await store.activity(lessons[1], of: StoreSamples.app), nil, "what is left of it")
        },
        DamagedActivityCheck("is refused in a call that changes many, and the others are changed") { store, damage in
            let lessons = try await store.addLessons(3)
            try await damage("UPDATE @activities SET channel = '[' WHERE id = 'lesson 1'")
            let change = try ActivitySamples.patch(#"{"n":1}"#)
            let orders = (lessons + ["unknown"]).map { ActivityOrder(activity: $0, change: change) }
            let results = try await store.change(orders, of: StoreSamples.app, now: StoreSamples.now)
            try expectEqual(results[1], .refused(.damaged), "what became of it")
            try expectEqual(results[3], .unknown, "what became of one that is not there")
            try expectEqual(try await store.lesson(lessons[2]).lifecycle.version, 2, "the version of another one")
            let dry = try await store.estimate(orders, of: StoreSamples.app, now: StoreSamples.now)
            try expectEqual(dry[1], .refused(.damaged), "what would become of it")
        },
        DamagedActivityCheck("keeps no batch from being settled, and no other phone from what is newest") {
            store,
            damage in
            let lessons = try await store.addLessons(2)
            for number in 1...2 {
                let orders = try lessons.map {
                    ActivityOrder(activity: $0, change: try ActivitySamples.patch(#"{"n":\#(number)}"#))
                }
                _ = try await store.change(orders, of: StoreSamples.app, now: StoreSamples.now)
            }
            let first = try await store.claimOne()
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id = 'lesson 0'")
            try await store.settleAll(first)
            let second = try await store.claimOne()
            try expectEqual(second.batch.targets, [try StoreSamples.target(1)], "who is sent to")
            try await store.settleAll(second)
        },
        DamagedActivityCheck("keeps no other from being sent on to very many phones") { store, damage in
            let lessons = try await store.addLessons(2)
            for lesson in lessons { _ = try await store.change(ActivitySamples.patch(#"{"n":1}"#), lesson) }
            for claimed in try await store.claim() { try await store.settleAll(claimed) }
            let next = try await store.nextActivityTime()
            try await damage("UPDATE @activities SET left_to_send = 1, version = 3")
            try await damage("UPDATE @activities SET content_state = @BAD WHERE id = 'lesson 0'")
            try await store.sendOn()
            let claimed = try await store.claimOne()
            try expectEqual(claimed.batch.targets, [try StoreSamples.target(1)], "who is sent to")
            try expectEqual(try await store.story(lessons[0]).last?.kind, .setAside, "what the timeline says")
            try expectEqual(try await store.nextActivityTime(), next, "the next time, at which something is due")
        },
        DamagedActivityCheck("by a single transition leaves that out, and carries out the others") { store, damage in
            let lesson = try await store.addLessons(1)[0]
            try await store.plan(#"{"a":1}"#, "a", lesson)
            try await store.plan(#"{"b":1}"#, "b", lesson)
            try await damage("UPDATE @activity_transitions SET plan = '{}' WHERE key = 'a'")
            let report = try await store.carryOutTransitions(limit: 100, now: StoreSamples.after(2700))
            try expectEqual(report.entries.map(\.transition.state), [.skipped, .done], "what became of them")
            let skipped = try await store.story(lesson).first { $0.kind == .transitionSkipped }
            try expectEqual(skipped?.detail, "a: what was planned cannot be read", "what the timeline says")
            let listed = try await store.transitions(of: lesson, app: StoreSamples.app)
            try expectEqual(listed.map(\.isReadable), [false, true], "what can be read of them")
            // An instant that moves leaves it alone; planned anew it is whole.
            try await store.plan(#"{"a":2}"#, "a", lesson)
            try expectEqual(try await store.transitions(of: lesson, app: StoreSamples.app)[0].state, .planned, "anew")
        },
        DamagedActivityCheck("by a single phone sends to the others, and to it when its app tells a token") {
            store,
            damage in
            try await store.addLesson(phones: [1, 2])
            try await damage("UPDATE @activity_participants SET origin = 7 WHERE installation = 'phone 1'")
            let receipt = try await store.change(ActivitySamples.patch(#"{"n":1}"#))
            try expectEqual(receipt.sent, 1, "how many are sent to")
            try expectEqual(try await store.phones().map(\.state), [.gone(reason: "damaged"), .active], "the phones")
            let upload = try ActivitySamples.upload(1, issued: 60)
            let back = try await store.tell(upload, now: StoreSamples.after(60))
            try expectEqual(back?.sent, 1, "what it is sent when it is back")
            try expectEqual(try await store.phones().map(\.state), [.active, .active], "the phones then")
        },
        DamagedActivityCheck("by its type's schema is carried out without it") { store, damage in
            let lesson = try await store.addLessons(1)[0]
            try await store.plan(#"{"a":1}"#, "a", lesson)
            let type = try ActivitySamples.registered(#"{"type":"object"}"#)
            _ = try await store.keep(type)
            try await damage("UPDATE @activity_types SET content_state = @BAD")
            let prepared = try await store.prepareTransitions(dueAt: StoreSamples.after(2700), after: nil, limit: 100)
            try expectEqual(prepared.elements.map(\.count), [1], "what is prepared of it")
            let report = try await store.carryOutTransitions(limit: 100, now: StoreSamples.after(2700))
            try expectEqual(report.entries.map(\.transition.state), [.done], "what became of it")
        },
        DamagedActivityCheck("by its type's schema takes no other state, until the type is registered anew") {
            store,
            damage in
            let lesson = try await store.addLessons(1)[0]
            let type = try ActivitySamples.registered(#"{"type":"object"}"#)
            try expect(try await store.keep(type), "the type was there")
            try await damage("UPDATE @activity_types SET content_state = @BAD")
            let orders = [ActivityOrder(activity: lesson, change: try ActivitySamples.patch(#"{"n":1}"#))]
            let refused = try await store.change(orders, of: StoreSamples.app, now: StoreSamples.now)
            try expectEqual(refused, [.refused(.damaged)], "what becomes of a state that cannot be checked")
            try expectEqual(try await store.keep(type), false, "whether it is new")
            _ = try await store.change(orders, of: StoreSamples.app, now: StoreSamples.now)
            try expectEqual(try await store.lesson(lesson).lifecycle.version, 2, "the version then")
        },
    ]
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
        let plan = ActivitySamples.plan(key, seconds: -900, try ActivitySamples.patch(patch))
        _ = try await self.plan([plan], for: lesson, of: StoreSamples.app, now: StoreSamples.now)
    }
}
