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

@Suite("Stores: transitions", .timeLimit(.minutes(20)))
struct TransitionTests {
    @Test("a transition is carried out at its time, once, with what it sends", arguments: TestStoreBackend.allCases)
    func carryOut(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let plans = [
                ActivityFixtures.plan("ending", seconds: -900, try ActivityFixtures.patch(#"{"status":"ending"}"#)),
                ActivityFixtures.plan(
                    "over",
                    seconds: 0,
                    try ActivityFixtures.patch(#"{"status":"over"}"#, end: .after(seconds: 300))
                ),
            ]
            var changes = store.changes().makeAsyncIterator()
            let planned = try await store.plan(plans)
            #expect(planned.map(\.dueAt) == [StoreFixtures.after(2700), StoreFixtures.after(3600)], "the times")
            let next = await changes.next()
            #expect(next == .activitiesDue, "the signal")
            let nextTime = try await store.nextActivityTime()
            #expect(nextTime == StoreFixtures.after(2700), "the next time")
            let early = try await store.carryOut(now: StoreFixtures.after(2699.999))
            #expect(early == TransitionReport(), "what is done too early")
            let report = try await store.carryOut(now: StoreFixtures.after(2700.2))
            #expect(report.entries.map(\.transition.key) == ["ending"], "what is done")
            #expect(report.entries.map(\.transition.state) == [.completed], "what became of it")
            let claimed = try await store.claimOne(now: StoreFixtures.after(2700.2))
            #expect(ActivityFixtures.payloads(claimed)[0].contains(#""status":"ending""#), "the state is not sent")
            let entryCount = try await store.carryOut(now: StoreFixtures.after(2701)).entries.count
            #expect(entryCount == 0, "a second time")
            try await store.settleAll(claimed, now: StoreFixtures.after(2701))
            let end = try await store.carryOut(now: StoreFixtures.after(3600))
            #expect(end.entries.map(\.transition.key) == ["over"], "what is done at the end")
            let last = try await store.claimOne(now: StoreFixtures.after(3600))
            #expect(ActivityFixtures.payloads(last)[0].contains(#""event":"end""#), "the end is not sent")
            #expect(try await store.nextActivityTime() == nil, "what is left to do")
        }
    }

    @Test("what is planned is kept as it was told", arguments: TestStoreBackend.allCases)
    func keep(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let state = try RawJSONObject(json: #"{"status" : "ending", "名": "\"寿司\""}"#)
            let alert = LiveActivityAlert(title: .localized(key: "SOON", arguments: ["15"]), body: "Soon")
            let changes = [
                ActivityChange(contentState: .replaced(state), alert: alert, staleDate: .never, relevanceScore: 2.5),
                ActivityChange(contentState: .patched(state), staleDate: .after(seconds: 60), relevanceScore: -3),
                ActivityChange(staleDate: .at(StoreFixtures.after(90)), priority: .powerConsiderate, end: .standard),
                ActivityChange(end: .immediate), ActivityChange(end: .at(StoreFixtures.after(0.25))),
                ActivityChange(end: .after(seconds: 300)),
            ]
            let times: [TransitionTime] = [.at(StoreFixtures.after(7200.125)), .relative(to: "endsAt", seconds: -900)]
            let misfires: [TransitionMisfirePolicy] = [.coalesce, .skip, .runLate(within: 300)]
            let plans = changes.enumerated().map { place, change in
                NewTransition(
                    key: TransitionKey(unchecked: "plan \(place)"),
                    time: times[place % 2],
                    change: change,
                    misfire: misfires[place % 3]
                )
            }
            _ = try await store.plan(plans)
            let kept = try await store.transitions(of: ActivityFixtures.lesson, app: StoreFixtures.app)
            #expect(kept.map(\.plan) == plans, "the plans")
        }
    }

    @Test("when an instant moves, what is planned relative to it moves along", arguments: TestStoreBackend.allCases)
    func moveInstant(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let fixed = NewTransition(
                key: "fixed",
                time: .at(StoreFixtures.after(3000)),
                change: try ActivityFixtures.patch(#"{"a":1}"#)
            )
            let ending = ActivityFixtures.plan("ending", seconds: -900, try ActivityFixtures.patch(#"{"b":1}"#))
            let unknown = NewTransition(
                key: "pause",
                time: .relative(to: "pausesAt", seconds: 0),
                change: try ActivityFixtures.patch(#"{"c":1}"#)
            )
            _ = try await store.plan([ending, fixed, unknown])
            let times = try await store.times()
            #expect(times == [StoreFixtures.after(2700), StoreFixtures.after(3000), nil], "the times")
            let later = ActivityChange(
                instants: ["endsAt": StoreFixtures.after(7200), "pausesAt": StoreFixtures.after(60)]
            )
            let receipt = try await store.change(later, now: StoreFixtures.after(10))
            #expect([receipt.version, receipt.sent] == [1, 0], "what phones see of it")
            let moved = [StoreFixtures.after(6300), StoreFixtures.after(3000), StoreFixtures.after(60)]
            let timesBehind = try await store.times()
            #expect(timesBehind == moved, "the times behind that")
            let nextTime = try await store.nextActivityTime()
            #expect(nextTime == StoreFixtures.after(60), "the next time")
            _ = try await store.change(ActivityChange(instants: ["pausesAt": nil]), now: StoreFixtures.after(11))
            let nextTimeWithout = try await store.nextActivityTime()
            #expect(nextTimeWithout == StoreFixtures.after(3000), "the next time without it")
            let lessonInstants = try await store.lesson().instants
            #expect(lessonInstants == ["endsAt": StoreFixtures.after(7200)], "the instants")
        }
    }

    @Test("what is planned with an activity is stored with it, or neither is", arguments: TestStoreBackend.allCases)
    func planWithActivity(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            var plans = [
                ActivityFixtures.plan("ending", seconds: -900, try ActivityFixtures.patch(#"{"a":1}"#)),
                ActivityFixtures.plan("over", seconds: 0, ActivityChange(end: .standard)),
            ]
            let lesson = try ActivityFixtures.activity()
            let receipt = try await store.createActivity(
                lesson,
                startingOn: [],
                planning: plans,
                now: StoreFixtures.now
            )
            #expect(receipt.version == 1, "the version")
            let kept = try await store.transitions(of: lesson.id, app: StoreFixtures.app)
            #expect(Set(kept.map(\.plan)) == Set(plans), "the plans")
            let nextTime = try await store.nextActivityTime()
            #expect(nextTime == StoreFixtures.after(2700), "the next time")
            let change = try ActivityFixtures.patch(#"{"b":1}"#)
            plans += (0..<100).map { ActivityFixtures.plan(TransitionKey(unchecked: "t\($0)"), seconds: 0, change) }
            let other = try ActivityFixtures.activity("other")
            do {
                _ = try await store.createActivity(other, startingOn: [], planning: plans, now: StoreFixtures.now)
                Issue.record("more was planned than may be")
                return
            } catch let refusal as ActivityError {
                #expect(refusal == .tooMany("scheduled transitions", limit: 100), "the refusal")
            }
            #expect(try await store.activity(other.id, of: StoreFixtures.app) == nil, "the other activity")
        }
    }

    @Test("what is planned is replaced by its name, and taken back", arguments: TestStoreBackend.allCases)
    func replace(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let change = try ActivityFixtures.patch(#"{"a":1}"#)
            _ = try await store.plan([ActivityFixtures.plan("a", seconds: -900, change)])
            _ = try await store.plan([ActivityFixtures.plan("a", seconds: -60, change)])
            _ = try await store.plan([ActivityFixtures.plan("b", seconds: 0, change)])
            let times = try await store.times()
            #expect(times == [StoreFixtures.after(3540), StoreFixtures.after(3600)], "the times")
            let cancelled = try await store.cancelTransitions(
                ["a", "x"],
                of: ActivityFixtures.lesson,
                app: StoreFixtures.app,
                now: StoreFixtures.after(1)
            )
            #expect(cancelled == ["a"], "what was taken back")
            let states = try await store.transitions(of: ActivityFixtures.lesson, app: StoreFixtures.app).map(\.state)
            #expect(states == [.cancelled, .scheduled], "what became of them")
            let nextTime = try await store.nextActivityTime()
            #expect(nextTime == StoreFixtures.after(3600), "the next time")
            let many = (0..<100).map { ActivityFixtures.plan(TransitionKey(unchecked: "t\($0)"), seconds: 0, change) }
            await #expect(throws: ActivityError.tooMany("scheduled transitions", limit: 100), "too many") {
                try await store.plan(many)
            }
        }
    }

    @Test("what was missed is carried out in its order, as its policies say", arguments: TestStoreBackend.allCases)
    func misfire(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let plans = [
                ActivityFixtures.plan("a", seconds: -900, try ActivityFixtures.patch(#"{"a":1}"#)),
                ActivityFixtures.plan("b", seconds: -800, try ActivityFixtures.patch(#"{"b":1}"#), misfire: .skip),
                ActivityFixtures.plan(
                    "c",
                    seconds: -700,
                    try ActivityFixtures.patch(#"{"c":1}"#),
                    misfire: .runLate(within: 7200)
                ),
                ActivityFixtures.plan("d", seconds: -600, try ActivityFixtures.patch(#"{"d":1}"#)),
            ]
            _ = try await store.plan(plans)
            var entries: [TransitionReport.Entry] = []
            var report = TransitionReport(hasMore: true)
            while report.hasMore {
                report = try await store.carryOut(now: StoreFixtures.after(3600))
                entries += report.entries
            }
            let done = entries.filter { $0.transition.state == .completed }.map(\.transition.key)
            #expect(done == ["a", "c", "d"], "what is done, in its order")
            let skipped = entries.filter { $0.transition.state == .skipped }.map(\.transition.key)
            #expect(skipped == ["b"], "what is left out")
            let lesson = try await store.lesson()
            #expect(lesson.lifecycle.version == 3, "how many changes phones see")
            let state = String(decoding: lesson.lifecycle.contentState?.bytes ?? [], as: UTF8.self)
            #expect(state == #"{"a":1,"c":1,"d":1,"status":"active"}"#, "the state")
            let first = try await store.claimOne(now: StoreFixtures.after(3600))
            #expect(!ActivityFixtures.payloads(first)[0].contains(#""d":1"#), "the first change has what follows")
            try await store.settleAll(first, now: StoreFixtures.after(3600))
            let second = try await store.claimOne(now: StoreFixtures.after(3600))
            #expect(ActivityFixtures.payloads(second)[0].contains(#""d":1"#), "the second change is not sent")
        }
    }

    @Test(
        "what cannot be carried out is skipped, and so is what is left when the activity ends",
        arguments: TestStoreBackend.allCases
    )
    func skip(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let large = #"{"t":"\#(String(repeating: "x", count: 4100))"}"#
            let plans = [
                ActivityFixtures.plan("large", seconds: -900, try ActivityFixtures.patch(large)),
                ActivityFixtures.plan("later", seconds: 0, try ActivityFixtures.patch(#"{"a":1}"#)),
            ]
            _ = try await store.plan(plans)
            let report = try await store.carryOut(now: StoreFixtures.after(2700))
            #expect(report.entries.map(\.transition.state) == [.skipped], "what became of one that is too large")
            let version = try await store.lesson().lifecycle.version
            #expect(version == 1, "what phones see of it")
            _ = try await store.change(ActivityChange(end: .immediate), now: StoreFixtures.after(2800))
            let states = try await store.transitions(of: ActivityFixtures.lesson, app: StoreFixtures.app).map(\.state)
            #expect(states == [.skipped, .skipped], "what became of the rest")
            await #expect(throws: ActivityError.over, "planning for one that is over") {
                try await store.plan(plans)
            }
        }
    }

    @Test(
        "of changes that were missed, one that is refused keeps none of the others from being made",
        arguments: TestStoreBackend.allCases
    )
    func refused(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let large = #"{"t":"\#(String(repeating: "x", count: 4100))"}"#
            let plans = [
                ActivityFixtures.plan("a", seconds: -900, try ActivityFixtures.patch(#"{"a":1}"#)),
                ActivityFixtures.plan("large", seconds: -800, try ActivityFixtures.patch(large)),
                ActivityFixtures.plan("over", seconds: 0, try ActivityFixtures.patch(#"{"b":1}"#, end: .immediate)),
            ]
            _ = try await store.plan(plans)
            _ = try await store.carryOut(now: StoreFixtures.after(3700))
            let kept = try await store.transitions(of: ActivityFixtures.lesson, app: StoreFixtures.app)
            #expect(kept.map(\.state) == [.completed, .skipped, .completed], "what became of them")
            let lesson = try await store.lesson()
            #expect(lesson.lifecycle.state == .ended, "the state of the activity")
            let state = String(decoding: lesson.lifecycle.contentState?.bytes ?? [], as: UTF8.self)
            #expect(state == #"{"a":1,"b":1,"status":"active"}"#, "the content state")
            let last = try await store.claimOne(now: StoreFixtures.after(3700))
            #expect(ActivityFixtures.payloads(last)[0].contains(#""event":"end""#), "the end is not sent")
        }
    }

    @Test("an activity expires when the last phone has shown it for 8 hours", arguments: TestStoreBackend.allCases)
    func expire(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let change = try ActivityFixtures.patch(#"{"a":1}"#)
            _ = try await store.plan([ActivityFixtures.plan("late", seconds: 8 * 3600, change)])
            let nextTime = try await store.nextActivityTime()
            #expect(nextTime == StoreFixtures.after(8 * 3600), "the next time")
            let report = try await store.carryOut(now: StoreFixtures.after(8 * 3600))
            #expect(report.expired == 1, "how many expire")
            #expect(report.entries.map(\.transition.state) == [.skipped], "what became of what was planned")
            let lesson = try await store.lesson()
            #expect(lesson.lifecycle.state == .expired, "the state")
            #expect(lesson.lifecycle.endedAt == StoreFixtures.after(8 * 3600), "its end")
            let claimedCount = try await store.claim(now: StoreFixtures.after(8 * 3600)).count
            #expect(claimedCount == 0, "what is sent")
            let kinds = try await store.story().suffix(2).map(\.kind)
            #expect(kinds == [.expired, .transitionSkipped], "the timeline")
        }
    }

    @Test(
        "schedulers that work at once carry out each transition once, and those of an activity in their order",
        arguments: TestStoreBackend.allCases
    )
    func concurrentSchedulers(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let change = try ActivityFixtures.patch(#"{"a":1}"#)
            for number in 0..<12 {
                let id = ActivityID(unchecked: "lesson \(number)")
                try await store.addLesson(id, phones: [number])
                let plans = ["a", "b"].enumerated().map { place, key in
                    ActivityFixtures.plan(
                        TransitionKey(unchecked: key),
                        seconds: place,
                        change,
                        misfire: .runLate(within: 3600)
                    )
                }
                _ = try await store.plan(plans, id)
            }
            let done = try await withThrowingTaskGroup(of: [TransitionReport.Entry].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var mine: [TransitionReport.Entry] = []
                        while try await store.nextActivityTime().map({ $0 <= StoreFixtures.after(3700) }) == true {
                            mine += try await store.carryOut(limit: 5, now: StoreFixtures.after(3700)).entries
                        }
                        return mine
                    }
                }
                return try await group.reduce(into: [TransitionReport.Entry]()) { $0 += $1 }
            }
            #expect(done.count == 24, "how many were carried out")
            #expect(Set(done.map { "\($0.activity) \($0.transition.key)" }).count == 24, "how many different ones")
            for number in 0..<12 {
                let story = try await store.story(ActivityID(unchecked: "lesson \(number)"))
                let updates = story.filter { $0.kind == .updated }.map(\.detail)
                #expect(updates == ["a", "b"], "the order of lesson \(number)")
            }
        }
    }

    @Test("the timeline tells of every change, with what its pushes came to", arguments: TestStoreBackend.allCases)
    func timeline(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#), now: StoreFixtures.after(1))
            let claimed = try await store.claimOne(now: StoreFixtures.after(1))
            _ = try await store.change(ActivityFixtures.state(#"{"n":2}"#), now: StoreFixtures.after(2))
            let dead = Settlement.Failure(index: 1, outcome: StoreFixtures.rejection(.unregistered))
            try await store.settleAll(claimed, failures: [dead], now: StoreFixtures.after(3))
            let story = try await store.story()
            let kinds: [TimelineEntry.Kind] = [
                .registered, .tokenReceived, .tokenReceived, .updated, .updated, .participantEnded, .pendingUpdatesSent,
            ]
            try #require(story.map(\.kind) == kinds, "what happened")
            try #require(story.map(\.sequence) == Array(1...7), "the places")
            try #require(story.map(\.version) == [1, 1, 1, 2, 3, 3, 3], "the versions")
            let sending = try #require(story[3].sendings.first, "what was sent")
            #expect(sending.targets == (0..<2), "the targets")
            #expect(sending.notification == claimed.batch.notification, "the notification")
            let counts = OutcomeCounts(delivered: 1, rejected: [.unregistered: 1])
            #expect(sending.counts == counts, "what it came to")
            #expect(story[4].pending == 2, "who waited")
            #expect(story[5].installation == ActivityFixtures.phone(2), "who is gone")
            #expect(story[6].sendings.first?.counts == OutcomeCounts(), "what the last push came to so far")
            let page = try await store.timeline(
                of: ActivityFixtures.lesson,
                app: StoreFixtures.app,
                after: 5,
                limit: 1
            )
            #expect(page.elements.map(\.kind) == [.participantEnded], "a page of it")
            #expect(page.next == 6, "where it goes on")
        }
    }
}

extension ActivityStore {
    /// Plans transitions of the sample lesson.
    fileprivate func plan(
        _ plans: [NewTransition],
        _ id: ActivityID = ActivityFixtures.lesson
    ) async throws -> [ActivityTransition] {
        try #require(try await self.plan(plans, for: id, of: StoreFixtures.app, now: StoreFixtures.now))
    }

    fileprivate func carryOut(limit: Int = 100, now: Date) async throws -> TransitionReport {
        try await self.carryOutTransitions(limit: limit, now: now)
    }

    /// When the transitions of the sample lesson are due that are planned.
    fileprivate func times() async throws -> [Date?] {
        let transitions = try await self.transitions(of: ActivityFixtures.lesson, app: StoreFixtures.app)
        return transitions.filter { $0.state == .scheduled }.map(\.dueAt)
    }
}
