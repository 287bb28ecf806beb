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

@Suite("Stores: prepared transitions", .timeLimit(.minutes(20)))
struct PreparedTransitionTests {
    /// When the transitions of these tests are due.
    private let due = StoreFixtures.after(2700)

    @Test(
        "what is prepared is carried out at its time, once, and comes to the same as what is not",
        arguments: TestStoreBackend.allCases
    )
    func carryOut(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addEndingLessons(2)
            let kept = try await store.crowded(by: due, count: 2)
            #expect(kept == due, "when many come due")
            #expect(try await store.crowded(by: due, count: 3) == nil, "when more come due than there are")
            #expect(try await store.crowded(by: StoreFixtures.after(2699), count: 1) == nil, "what is due before")
            let prepared = try await store.prepared()
            #expect(prepared.map(\.count) == [2], "how many are prepared")
            for early in [-1.0, -0.001] as [Double] {
                let report = try await store.carryOut(prepared, after: early)
                #expect(report == [], "what is done too early")
            }
            let claimedCount = try await store.claim(now: due).count
            #expect(claimedCount == 0, "what is sent too early")
            let done = try await store.carryOut(prepared, after: 0.2)
            #expect(done == ["lesson 0 ending completed", "lesson 1 ending completed"], "what is done")
            let carryOut = try await store.carryOut(prepared, after: 0.3)
            #expect(carryOut == [], "what is done a second time")
            let entryCount = try await store.carryOutTransitions(limit: 10, now: due).entries.count
            #expect(entryCount == 0, "what is left")
            let claimed = try await store.claimOne(now: due)
            #expect(claimed.batch.targets.count == 2, "how many are sent to")
            for payload in ActivityFixtures.payloads(claimed) {
                #expect(payload.contains(#""status":"ending""#), "what is sent is \(payload)")
                #expect(payload.contains(#""timestamp":\#(due.secondsSince1970)"#), "what is sent is \(payload)")
            }
            try await store.settleAll(claimed, now: due)
            for number in 0..<2 {
                let id = ActivityID(unchecked: "lesson \(number)")
                let lifecycleVersion = try await store.lesson(id).lifecycle.version
                #expect(lifecycleVersion == 2, "the version")
                let entry = try #require(try await store.story(id).last, "the entry")
                #expect([entry.kind.rawValue, entry.detail] == ["updated", "ending"], "the entry")
                #expect(entry.sendings.first?.counts?.delivered == 1, "what the push came to")
                let transition = try await store.transitions(of: id, app: StoreFixtures.app).first
                #expect(transition?.endedAt == due, "when it came to its end")
                let sentVersions = try await store.phones(id).map(\.lastSentVersion)
                #expect(sentVersions == [2], "what the phone was sent")
            }
            let sentBesideIt = try await store.claim(now: StoreFixtures.after(2800)).count
            #expect(sentBesideIt == 0, "what is sent beside it")
        }
    }

    @Test(
        "an activity whose end is prepared is over at its time, and what else was planned of it is skipped",
        arguments: TestStoreBackend.allCases
    )
    func end(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let end = try ActivityFixtures.patch(#"{"status":"over"}"#, end: .after(seconds: 300))
            try await store.planning([
                ActivityFixtures.plan("over", seconds: -900, end),
                ActivityFixtures.plan("later", seconds: 0, try ActivityFixtures.patch(#"{"a":1}"#)),
            ])
            let prepared = try await store.prepared()
            let carryOut = try await store.carryOut(prepared, after: 0)
            #expect(carryOut == ["lesson 1 over completed", "lesson 1 later skipped"], "what is done")
            let lesson = try await store.lesson()
            #expect(lesson.lifecycle.state == .ended, "the state")
            #expect(lesson.lifecycle.endedAt == due, "its end")
            #expect(try await store.nextActivityTime() == nil, "what is left to do")
            let claimed = try await store.claimOne(now: due)
            #expect(ActivityFixtures.payloads(claimed)[0].contains(#""event":"end""#), "the end is not sent")
        }
    }

    @Test(
        "what is moved, replaced, withdrawn or overtaken after it was prepared is left as it is then",
        arguments: TestStoreBackend.allCases
    )
    func changedPlans(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addEndingLessons(6)
            let prepared = try await store.prepared()
            #expect(prepared.map(\.count) == [6], "how many are prepared")
            let names = (0..<6).map { ActivityID(unchecked: "lesson \($0)") }
            let moved = ActivityChange(instants: ["endsAt": StoreFixtures.after(7200)])
            _ = try await store.change(moved, names[0], now: StoreFixtures.after(10))
            let other = ActivityFixtures.plan("ending", seconds: -900, try ActivityFixtures.patch(#"{"other":1}"#))
            try await store.planning([other], names[1])
            _ = try await store.cancelTransitions(
                nil,
                of: names[2],
                app: StoreFixtures.app,
                now: StoreFixtures.after(10)
            )
            _ = try await store.change(ActivityFixtures.patch(#"{"page":7}"#), names[3], now: StoreFixtures.after(10))
            _ = try await store.change(ActivityChange(end: .immediate), names[4], now: StoreFixtures.after(10))
            let carryOut = try await store.carryOut(prepared, after: 0)
            #expect(carryOut == ["lesson 5 ending completed"], "what is done")
            let lifecycleVersion = try await store.lesson(names[0]).lifecycle.version
            #expect(lifecycleVersion == 1, "the version of what was moved")
            let lifecycleState = try await store.lesson(names[4]).lifecycle.state
            #expect(lifecycleState == .ended, "the state of what was ended")
            let left = try await store.carryOutTransitions(limit: 10, now: due).entries
            #expect(left.map(\.activity) == [names[1], names[3]], "what is left")
            let contents = try await [names[1], names[3], names[5]].asyncMap { id in
                try await store.lesson(id).lifecycle.contentState.map { String(decoding: $0.bytes, as: UTF8.self) }
            }
            let expected = [
                #"{"other":1,"status":"active"}"#, #"{"page":7,"status":"ending"}"#, #"{"status":"ending"}"#,
            ]
            #expect(contents == expected, "the contents")
            let cancelled = try await store.transitions(of: names[2], app: StoreFixtures.app).map(\.state)
            #expect(cancelled == [.cancelled], "what was taken back")
        }
    }

    @Test(
        "a phone whose token is another, or that has joined, after something was prepared is sent it there",
        arguments: TestStoreBackend.allCases
    )
    func changedPhones(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addEndingLessons(3)
            let prepared = try await store.prepared()
            _ = try await store.tell(ActivityFixtures.upload(0, token: 50, issued: 10), "lesson 0")
            _ = try await store.tell(ActivityFixtures.upload(60), "lesson 1", now: StoreFixtures.after(10))
            let carryOut = try await store.carryOut(prepared, after: 0)
            #expect(carryOut == ["lesson 2 ending completed"], "what is done")
            let report = try await store.carryOutTransitions(limit: 10, now: due)
            #expect(report.entries.map(\.activity) == ["lesson 0", "lesson 1"], "what is left")
            let tokens = try await store.claim(now: due).flatMap { claimed in
                claimed.batch.targets.indices.map { claimed.batch.targets[$0].token }
            }
            let expected = try [50, 1, 60, 2].map { try StoreFixtures.token($0) }
            #expect(Set(tokens) == Set(expected), "who is sent to")
            #expect(tokens.count == 4, "how many are sent to")
        }
    }

    @Test(
        "a phone to which something is on its way is left out of what is prepared, or of what is carried out of it",
        arguments: TestStoreBackend.allCases
    )
    func phoneWithPending(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addEndingLessons(2)
            _ = try await store.change(ActivityFixtures.patch(#"{"page":1}"#), "lesson 0", now: StoreFixtures.after(5))
            let first = try await store.claimOne(now: StoreFixtures.after(5))
            let prepared = try await store.prepared()
            #expect(prepared.map(\.count) == [1], "how many are prepared")
            _ = try await store.change(ActivityFixtures.patch(#"{"page":1}"#), "lesson 1", now: StoreFixtures.after(6))
            let second = try await store.claimOne(now: StoreFixtures.after(6))
            let carryOut = try await store.carryOut(prepared, after: 0)
            #expect(carryOut == [], "what is done")
            let entryCount = try await store.carryOutTransitions(limit: 10, now: due).entries.count
            #expect(entryCount == 2, "what is left")
            for claimed in [first, second] { try await store.settleAll(claimed, now: due) }
            let payloads = try await store.claim(now: due).flatMap(ActivityFixtures.payloads)
            #expect(payloads.count == 2, "how many are sent to")
            for payload in payloads {
                #expect(payload.contains(#"{"page":1,"status":"ending"}"#), "what is sent is \(payload)")
            }
        }
    }

    @Test(
        "what the type of an activity allows no more after it was prepared is looked at anew",
        arguments: TestStoreBackend.allCases
    )
    func changedType(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addEndingLessons(1)
            _ = try await store.keep(ActivityFixtures.registered(ActivityFixtures.rules))
            let prepared = try await store.prepared()
            _ = try await store.keep(ActivityFixtures.registered(#"{"properties":{"status":{"const":"active"}}}"#))
            let carryOut = try await store.carryOut(prepared, after: 0)
            #expect(carryOut == [], "what is done")
            _ = try await store.carryOutTransitions(limit: 10, now: due)
            let states = try await store.transitions(of: "lesson 0", app: StoreFixtures.app).map(\.state)
            #expect(states == [.skipped], "what became of it")
            let claimedCount = try await store.claim(now: due).count
            #expect(claimedCount == 0, "what is sent")
        }
    }

    @Test(
        "what is prepared of an activity on a channel is broadcast at its time, once for all",
        arguments: TestStoreBackend.allCases
    )
    func broadcast(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ChannelFixtures.draft("final", policy: .noMessage).made(as: ChannelFixtures.id(1)))
            _ = try await store.createActivity(ChannelFixtures.activity(), startingOn: [], now: StoreFixtures.now)
            let change = try ActivityFixtures.patch(#"{"score":3}"#)
            try await store.planning(
                [NewTransition(key: "goal", time: .at(due), change: change)],
                ChannelFixtures.match
            )
            let prepared = try await store.prepared()
            #expect(prepared.map(\.count) == [1], "how many are prepared")
            #expect(prepared.map(\.deviceCount) == [1], "how many see it")
            let carryOut = try await store.carryOut(prepared, after: 0)
            #expect(carryOut == ["match goal completed"], "what is done")
            let claimed = try await store.claimOne(now: due)
            #expect(claimed.batch.headers.isBroadcast, "whether it is a broadcast")
            let expected = [try ChannelFixtures.bound().target]
            #expect(Array(claimed.batch.targets) == expected, "where it goes")
            let payload = ActivityFixtures.payloads(claimed)[0]
            #expect(payload.contains(#""score":3"#), "what is sent is \(payload)")
            try await store.settleAll(claimed, now: due)
            let entry = try #require(try await store.story(ChannelFixtures.match).last, "the entry")
            #expect(entry.sendings.first?.counts?.delivered == 1, "what the push came to")
        }
    }

    @Test(
        "what is refused where phones have no room is not prepared, but weighed at its time",
        arguments: TestStoreBackend.allCases
    )
    func budget(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let change = ActivityChange(
                contentState: .patched(try RawJSONObject(json: #"{"status":"ending"}"#)),
                priority: .immediate,
                budget: PushBudget(policy: .reject, limits: .init(hourly: 1, frequentHourly: 1))
            )
            for (number, lesson) in (["lesson 0", "lesson 1"] as [ActivityID]).enumerated() {
                try await store.addLesson(lesson, phones: [number])
                try await store.planning([ActivityFixtures.plan("ending", seconds: -900, change)], lesson)
            }
            let counts = try await store.prepared().map(\.count)
            #expect(counts == [], "how many are prepared")
            _ = try await store.change(
                ActivityChange(contentState: .patched(try RawJSONObject(json: #"{"n":1}"#)), priority: .immediate),
                "lesson 1",
                now: StoreFixtures.after(2699)
            )
            let report = try await store.carryOutTransitions(limit: 10, now: due)
            let ends = Dictionary(uniqueKeysWithValues: report.entries.map { ($0.activity, $0.transition.state) })
            #expect(ends == ["lesson 0": .completed, "lesson 1": .skipped], "what became of them")
        }
    }

    @Test(
        "an activity that 100 phones show is prepared with all of them, and one of more phones is not",
        arguments: TestStoreBackend.allCases
    )
    func manyPhones(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let change = try ActivityFixtures.patch(#"{"status":"ending"}"#)
            try await store.addLesson("lesson 0", phones: Array(0..<100))
            try await store.addLesson("lesson 1", phones: Array(100..<201))
            for lesson in ["lesson 0", "lesson 1"] as [ActivityID] {
                try await store.planning([ActivityFixtures.plan("ending", seconds: -900, change)], lesson)
            }
            let prepared = try await store.prepared()
            try #require(prepared.map(\.count) == [1], "how many are prepared")
            try #require(prepared.map(\.deviceCount) == [100], "how many phones see it")
            #expect(prepared[0].size > 100_000, "100 phones take \(prepared[0].size) bytes")
            let carryOut = try await store.carryOut(prepared, after: 0)
            #expect(carryOut == ["lesson 0 ending completed"], "what is done")
            let claimed = try await store.claimOne(now: due)
            let expected = try (0..<100).map { try StoreFixtures.target($0) }
            #expect(Array(claimed.batch.targets) == expected, "who is sent to")
            let versions = Set(try await store.phones("lesson 0").map(\.lastSentVersion))
            #expect(versions == [2], "what they were sent")
            let left = try await store.carryOutTransitions(limit: 10, now: due).entries.map(\.activity)
            #expect(left == ["lesson 1"], "what is left")
        }
    }

    @Test(
        "what was prepared and nobody carried out is looked at anew when it is late",
        arguments: TestStoreBackend.allCases
    )
    func late(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addEndingLessons(1)
            let prepared = try await store.prepared()
            let carryOut = try await store.carryOut(prepared, after: 1.001)
            #expect(carryOut == [], "what is done late")
            let report = try await store.carryOutTransitions(limit: 10, now: StoreFixtures.after(2701.001))
            #expect(report.entries.count == 1, "what is left")
        }
    }

    @Test("schedulers that have prepared the same carry it out once", arguments: TestStoreBackend.allCases)
    func concurrentSchedulers(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addEndingLessons(12)
            let prepared = try await (0..<4).asyncMap { _ in try await store.prepared(limit: 5) }
            for parts in prepared { #expect(parts.map(\.count) == [5, 5, 2], "how many are prepared") }
            let done = try await withThrowingTaskGroup(of: [String].self) { group in
                for parts in prepared { group.addTask { try await store.carryOut(parts, after: 0) } }
                return try await group.reduce(into: [String]()) { $0 += $1 }
            }
            // What one holds another leaves alone, and nobody looks at it again.
            let left = try await store.carryOutTransitions(limit: 100, now: due).entries.count
            #expect(Set(done).count + left == 12, "how many different ones were carried out")
            #expect(done.count + left == 12, "how many were carried out")
            for number in 0..<12 {
                let story = try await store.story(ActivityID(unchecked: "lesson \(number)"))
                #expect(story.count { $0.kind == .updated } == 1, "the changes of lesson \(number)")
            }
        }
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}

extension ActivityStore where Self: BatchStore & AppStore {
    /// Adds lessons with a phone each, of that number, all of which are ending at one instant.
    fileprivate func addEndingLessons(_ count: Int) async throws {
        let change = try ActivityFixtures.patch(#"{"status":"ending"}"#)
        for number in 0..<count {
            let id = ActivityID(unchecked: "lesson \(number)")
            try await self.addLesson(id, phones: [number])
            try await self.planning([ActivityFixtures.plan("ending", seconds: -900, change)], id)
        }
    }

    /// Plans transitions of a lesson, which are not refused.
    fileprivate func planning(_ plans: [NewTransition], _ id: ActivityID = ActivityFixtures.lesson) async throws {
        _ = try #require(try await self.plan(plans, for: id, of: StoreFixtures.app, now: StoreFixtures.now))
    }

    fileprivate func crowded(by end: Date, count: Int) async throws -> Date? {
        try await self.crowdedActivityTime(after: StoreFixtures.now, until: end, count: count)
    }

    /// Prepares what is due at 2700 s, page by page.
    fileprivate func prepared(limit: Int = 100) async throws -> [ActivityChangeSet] {
        var parts: [ActivityChangeSet] = []
        var cursor: Int64?
        repeat {
            let page = try await self.prepareTransitions(dueAt: StoreFixtures.after(2700), after: cursor, limit: limit)
            parts += page.elements
            cursor = page.next
        } while cursor != nil
        return parts
    }

    /// Carries out what was prepared, so many seconds after 2700 s.
    ///
    /// - Returns: what came to its end, as `activity key state`.
    fileprivate func carryOut(_ parts: [ActivityChangeSet], after seconds: Double) async throws -> [String] {
        var done: [String] = []
        for part in parts {
            let report = try await self.carryOut(part, now: StoreFixtures.after(2700 + seconds))
            done += report.entries.map { "\($0.activity) \($0.transition.key) \($0.transition.state)" }
        }
        return done
    }
}
