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

@Suite("Stores: a Live Activity with numbers that are out of range", .timeLimit(.minutes(20)))
struct CorruptActivityNumberTests {
    /// Changes to a row of an activity; `MOST` is the largest number of a column for small numbers.
    private static let damages = [
        "version = MOST", "joined = MOST", "entries = MOST", "left_to_send = MOST", "fixed_bytes = -1",
        "timestamp = 9223372036854775807", "stale_date = 9223372036854775807",
        "dismissal_date = -9223372036854775807", "started_at = 9223372036854775807",
        "expires_at = 9223372036854775807", "budget = -1",
        // The bits of a number that is none.
        "relevance_score = 9221120237041090560",
    ]

    @Test("is set aside, and keeps none of the others from being carried out", arguments: TestStoreBackend.allCases)
    func setAside(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(Self.damages.count + 1)
            for lesson in lessons { try await store.plan(#"{"n":1}"#, "ending", lesson) }
            for (lesson, change) in zip(lessons, Self.damages) {
                let change = change.replacing("MOST", with: "\(kind.largest)")
                try await damage("UPDATE @activities SET \(change) WHERE id = '\(lesson.rawValue)'")
            }
            let sound = lessons[Self.damages.count]
            let report = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(2700))
            #expect(report.setAside == Self.damages.count, "how many are set aside")
            #expect(report.entries.map(\.activity) == [sound], "what is carried out")
            let claimed = try await store.claimOne(now: StoreFixtures.after(2700))
            #expect(claimed.batch.targets.count == 1, "how many phones are sent to")
            let listed = try await store.activities(of: StoreFixtures.app, matching: .init(), after: nil, limit: 100)
            #expect(listed.elements.contains { $0.id == sound }, "whether the sound one is listed")
        }
    }

    @Test(
        "in its content keeps no process from going on, and the others are listed",
        arguments: TestStoreBackend.allCases
    )
    func content(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(2)
            for lesson in lessons { try await store.plan(#"{"status":"ending"}"#, "ending", lesson) }
            // An earlier version took such a number from an app.
            let content = kind.bytes(#"{"n":1e999}"#)
            try await damage("UPDATE @activities SET content_state = \(content) WHERE id = 'lesson 0'")
            let report = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(2700))
            let done = report.entries.filter { $0.transition.state == .completed }.map(\.activity)
            #expect(done.contains(lessons[1]), "whether the sound one is carried out")
            let listed = try await store.activities(of: StoreFixtures.app, matching: .init(), after: nil, limit: 100)
            #expect(listed.elements.contains { $0.id == lessons[1] }, "whether the sound one is listed")
        }
    }

    @Test("that is over is removed in its turn", arguments: TestStoreBackend.allCases)
    func removal(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lessons = try await store.addLessons(2)
            try await damage(
                """
                UPDATE @activities SET state = 3, ended_at = -9223372036854775807, version = \(kind.largest),
                    joined = \(kind.largest) WHERE id = 'lesson 0'
                """
            )
            try await store.removeActivities(overBefore: StoreFixtures.now, limit: 1000)
            let removed = try await store.activity(lessons[0], of: StoreFixtures.app)
            #expect(removed == nil, "what is left of it")
            let other = try await store.activity(lessons[1], of: StoreFixtures.app)
            #expect(other != nil, "the other one")
        }
    }

    @Test("of a phone takes that phone out, and the others are sent to", arguments: TestStoreBackend.allCases)
    func phone(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addLesson(phones: [1, 2])
            try await damage(
                """
                UPDATE @activity_participants SET sent_version = \(kind.largest), joined_at = 9223372036854775807
                WHERE installation = 'phone 1'
                """
            )
            let receipt = try await store.change(ActivityFixtures.patch(#"{"n":1}"#))
            #expect(receipt.sent == 1, "how many are sent to")
            let states = try await store.phones().map(\.state)
            #expect(states == [.ended(reason: "corrupt"), .active], "the phones")
        }
    }

    @Test("of a transition leaves that transition out", arguments: TestStoreBackend.allCases)
    func transition(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let lesson = try await store.addLessons(1)[0]
            try await store.plan(#"{"a":1}"#, "a", lesson)
            try await store.plan(#"{"b":1}"#, "b", lesson)
            try await damage(
                """
                UPDATE @activity_transitions SET plan = replace(plan, '-900', '-9223372036854775807') WHERE key = 'a'
                """
            )
            let listed = try await store.transitions(of: lesson, app: StoreFixtures.app)
            #expect(listed.map(\.isReadable) == [false, true], "what can be read of them")
            // An instant that moves takes along what is planned by it.
            _ = try await store.change(ActivityChange(instants: ["endsAt": StoreFixtures.after(3601)]), lesson)
            let report = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(2701))
            #expect(report.setAside == 0, "how many are set aside")
            let states = report.entries.map(\.transition).sorted { $0.key < $1.key }.map(\.state)
            #expect(states == [.skipped, .completed], "what became of them")
        }
    }

    @Test("of its next time is looked at without an overflow", arguments: TestStoreBackend.allCases)
    func nextTime(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            _ = try await store.addLessons(1)
            let table = kind == .sqlite ? "@activities" : "@activity_due"
            try await damage("UPDATE \(table) SET due_at = 9223372036854775807")
            let next = try #require(try await store.nextActivityTime(), "the next time")
            #expect(next > StoreFixtures.now, "the next time")
            #expect(next.millisecondsSince1970 > 0, "the next time in milliseconds")
        }
    }

    @Test("keys of transitions that only Unicode takes as equal are carried out", arguments: TestStoreBackend.allCases)
    func equalKeys(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let lesson = try await store.addLessons(1)[0]
            try await store.plan(#"{"a":1}"#, "\u{e9}", lesson)
            try await store.plan(#"{"b":1}"#, "e\u{301}", lesson)
            let report = try await store.carryOutTransitions(limit: 100, now: StoreFixtures.after(2700))
            #expect(report.setAside == 0, "how many are set aside")
            #expect(Set(report.entries.map(\.transition.state)) == [.completed], "what became of them")
        }
    }

    @Test("of a rollout stops that rollout", arguments: TestStoreBackend.allCases)
    func rollout(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            _ = try await store.addRollout()
            try await damage("UPDATE @activity_rollouts SET throttle = 0")
            for _ in 0..<2 {
                let claimed = try await store.claimRollouts(
                    planner: RolloutFixtures.planner,
                    limit: 10,
                    leaseDuration: RolloutFixtures.lease,
                    now: StoreFixtures.now
                )
                #expect(claimed.isEmpty, "what can be claimed")
            }
            let rollouts = try await store.rollouts(of: ActivityFixtures.lesson, app: StoreFixtures.app)
            #expect(rollouts.isEmpty, "what can be listed")
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
