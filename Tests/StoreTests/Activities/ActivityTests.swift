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

@Suite("Stores: activities", .timeLimit(.minutes(20)))
struct ActivityTests {
    @Test(
        "an activity is kept as it was told, and its name is taken from then on",
        arguments: TestStoreBackend.allCases
    )
    func create(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [])
            let lesson = try ActivityFixtures.activity()
            let storedLesson = try await store.lesson()
            #expect(storedLesson == lesson, "the activity")
            try await expectError(.conflict, "the second one of that name") {
                _ = try await store.createActivity(lesson, startingOn: [], now: StoreFixtures.now)
            }
            #expect(try await store.activity("other", of: StoreFixtures.app) == nil, "an unknown one")
            try await expectError(.notFound, "one of an unknown app") {
                _ = try await store.change([], of: StoreFixtures.otherApp, now: StoreFixtures.now)
            }
        }
    }

    @Test(
        "an update goes to the phones that told their token, in APNs' form and ahead of bulk work",
        arguments: TestStoreBackend.allCases
    )
    func update(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            let receipt = try await store.change(
                ActivityFixtures.state(#"{"status" : "ending"}"#),
                now: StoreFixtures.after(60)
            )
            let claimed = try await store.claimOne(now: StoreFixtures.after(60))
            let notification = claimed.batch.notification
            let expected = ActivityUpdateResult(
                version: 2,
                state: .active,
                sent: 2,
                notification: notification,
                cost: try ActivityFixtures.cost(phones: 2)
            )
            #expect(receipt == expected, "the receipt")
            let targetsExpected = try [1, 2].map { try StoreFixtures.target($0) }
            #expect(Array(claimed.batch.targets) == targetsExpected, "the targets")
            let timestamp = StoreFixtures.after(60).secondsSince1970
            let push =
                #"{"aps":{"timestamp":\#(timestamp),"event":"update","content-state":{"status" : "ending"}}}"#
            #expect(ActivityFixtures.payloads(claimed) == [push, push], "the payloads")
            #expect(claimed.batch.headers.topic.rawValue == "com.example.app.push-type.liveactivity", "the topic")
            #expect(claimed.batch.headers.pushType == .liveactivity, "the push type")
            #expect(claimed.batch.headers.priority == .immediate, "the priority")
            let lesson = try await store.lesson()
            #expect(lesson.lifecycle.state == .active, "the state")
            #expect(lesson.lifecycle.version == 2, "the version")
            #expect(lesson.lifecycle.expiresAt == StoreFixtures.after(8 * 3600), "when it expires")
            let sentVersions = try await store.phones().map(\.lastSentVersion)
            #expect(sentVersions == [2, 2], "what the phones were sent")
        }
    }

    @Test(
        "many activities change in one transaction, each with its own payload; each order has its answer",
        arguments: TestStoreBackend.allCases
    )
    func updateMany(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for number in 1...3 {
                try await store.addLesson(ActivityID(unchecked: "lesson \(number)"), phones: [number])
            }
            var orders = try (1...3).map { number in
                ActivityUpdate(
                    activity: ActivityID(unchecked: "lesson \(number)"),
                    change: try ActivityFixtures.state(#"{"n":\#(number)}"#)
                )
            }
            orders.insert(ActivityUpdate(activity: "unknown", change: orders[0].change), at: 1)
            let large = #"{"t":"\#(String(repeating: "x", count: 4100))"}"#
            orders.append(ActivityUpdate(activity: "lesson 3", change: try ActivityFixtures.state(large)))
            let results = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.after(1))
            let claimed = try await store.claimOne(now: StoreFixtures.after(1))
            let changed = ActivityUpdateOutcome.changed(
                ActivityUpdateResult(
                    version: 2,
                    state: .active,
                    sent: 1,
                    notification: claimed.batch.notification,
                    cost: try ActivityFixtures.cost(phones: 1)
                )
            )
            #expect(Array(results[..<4]) == [changed, .unknown, changed, changed], "the results")
            guard case .refused(.tooLarge) = results[4] else {
                Issue.record("too large a state came to \(results[4])")
                return
            }
            let payloads = ActivityFixtures.payloads(claimed)
            let areRight = (1...3).allSatisfy { payloads[$0 - 1].contains(#"{"n":\#($0)}"#) }
            #expect(areRight, "the payloads are \(payloads)")
        }
    }

    @Test(
        "what a phone waits for is settled first; what was overtaken meanwhile is never sent",
        arguments: TestStoreBackend.allCases
    )
    func waitForFirst(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            let first = try await store.claimOne()
            let overtaken = try await store.change(ActivityFixtures.state(#"{"n":2}"#, alert: ActivityFixtures.alert))
            #expect([overtaken.sent, overtaken.pending] == [0, 2], "what is sent while something is on its way")
            _ = try await store.change(ActivityFixtures.state(#"{"n":3}"#))
            let claimedCount = try await store.claim().count
            #expect(claimedCount == 0, "what can be claimed meanwhile")
            let slice = Settlement(of: first, range: 0..<1, failures: [])
            _ = try await store.settle(slice, now: StoreFixtures.now)
            try await store.sendOn()
            let second = try await store.claimOne()
            let expected = [try StoreFixtures.target(1)]
            #expect(Array(second.batch.targets) == expected, "who is sent to first")
            let payload = ActivityFixtures.payloads(second)[0]
            #expect(payload.contains(#"{"n":3}"#), "the newest state is not sent: \(payload)")
            #expect(payload.contains("It begins"), "the alert of what was overtaken is lost: \(payload)")
            let rest = Settlement(of: first, range: 1..<2, failures: [])
            _ = try await store.settle(rest, now: StoreFixtures.now)
            try await store.sendOn()
            let third = try await store.claimOne()
            let nextTarget = [try StoreFixtures.target(2)]
            #expect(Array(third.batch.targets) == nextTarget, "who is sent to next")
            try await store.settleAll(second)
            try await store.settleAll(third)
            let openCount = try await store.claim().count
            #expect(openCount == 0, "what is left")
            let lifecycleTimestamp = try await store.lesson().lifecycle.timestamp
            #expect(lifecycleTimestamp == StoreFixtures.now.secondsSince1970 + 3, "the timestamp")
        }
    }

    @Test(
        "an end is the last thing that is sent, also to a phone that tells its token later",
        arguments: TestStoreBackend.allCases
    )
    func end(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let end = try ActivityFixtures.patch(#"{"status":"over"}"#, end: .after(seconds: 300))
            let receipt = try await store.change(end, now: StoreFixtures.after(10))
            #expect(receipt.state == .ended, "the state")
            let claimed = try await store.claimOne(now: StoreFixtures.after(10))
            let date = StoreFixtures.after(310).secondsSince1970
            let tail = #""event":"end","content-state":{"status":"over"},"dismissal-date":\#(date)}}"#
            #expect(
                ActivityFixtures.payloads(claimed)[0].hasSuffix(tail),
                "the end is \(ActivityFixtures.payloads(claimed))"
            )
            let order = ActivityUpdate(activity: ActivityFixtures.lesson, change: try ActivityFixtures.state("{}"))
            let results = try await store.change([order], of: StoreFixtures.app, now: StoreFixtures.after(11))
            #expect(results == [.refused(.over)], "a change behind the end")
            _ = try await store.tell(ActivityFixtures.upload(2), now: StoreFixtures.after(12))
            let late = try await store.claimOne(now: StoreFixtures.after(12))
            let expected = [try StoreFixtures.target(2)]
            #expect(Array(late.batch.targets) == expected, "who is sent the end")
            #expect(ActivityFixtures.payloads(late)[0].hasSuffix(tail), "what a late phone is sent")
        }
    }

    @Test(
        "activities are found by type, by whether they are over and by their instants, page by page",
        arguments: TestStoreBackend.allCases
    )
    func find(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for number in 1...3 { try await store.addLesson(ActivityID(unchecked: "lesson \(number)"), phones: []) }
            let moved = ActivityChange(instants: ["endsAt": StoreFixtures.after(7200)])
            _ = try await store.change(moved, "lesson 2")
            _ = try await store.change(ActivityChange(end: .immediate), "lesson 3")
            let soon: ActivityFilter.InstantSpan = ("endsAt", from: StoreFixtures.now, until: StoreFixtures.after(3601))
            let filters: [(ActivityFilter, [String])] = [
                (ActivityFilter(), ["lesson 1", "lesson 2", "lesson 3"]),
                (ActivityFilter(attributesType: "Other"), []),
                (ActivityFilter(attributesType: ActivityFixtures.type, isOver: false), ["lesson 1", "lesson 2"]),
                (ActivityFilter(isOver: true), ["lesson 3"]),
                (ActivityFilter(isOver: false, instant: soon), ["lesson 1"]),
            ]
            for (filter, names) in filters {
                let found = try await store.activities(of: StoreFixtures.app, matching: filter, after: nil, limit: 10)
                #expect(found.elements.map(\.id.rawValue) == names, "what \(filter) finds")
            }
            let first = try await store.activities(of: StoreFixtures.app, matching: .init(), after: nil, limit: 2)
            let second = try await store.activities(
                of: StoreFixtures.app,
                matching: .init(),
                after: first.next,
                limit: 2
            )
            #expect([first.elements.count, second.elements.count] == [2, 1], "the pages")
            #expect(second.next == nil, "the end")
        }
    }

    @Test("what is over is removed with all that belongs to it; the rest stays", arguments: TestStoreBackend.allCases)
    func remove(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            try await store.addLesson("lesson 2", phones: [2])
            _ = try await store.change(ActivityChange(end: .immediate), now: StoreFixtures.after(10))
            let early = try await store.removeActivities(overBefore: StoreFixtures.after(10), limit: 10)
            #expect(early == PrunedItems(), "what is removed too early")
            let removed = try await store.removeActivities(overBefore: StoreFixtures.after(11), limit: 10)
            #expect(removed == PrunedItems(count: 1), "what is removed")
            #expect(try await store.activity(ActivityFixtures.lesson, of: StoreFixtures.app) == nil, "the activity")
            let phoneCount = try await store.phones().count
            #expect(phoneCount == 0, "its phones")
            let storyCount = try await store.story().count
            #expect(storyCount == 0, "its timeline")
            let claimed = try await store.claimOne(now: StoreFixtures.after(11))
            try await store.settleAll(claimed, now: StoreFixtures.after(11))
            let remainingPhones = try await store.phones("lesson 2").count
            #expect(remainingPhones == 1, "the phones of the other one")
            try await store.deleteApp(StoreFixtures.app)
            #expect(try await store.activity("lesson 2", of: StoreFixtures.app) == nil, "one of a deleted app")
        }
    }

    @Test("of one that had very many phones a part is removed at a time", arguments: TestStoreBackend.allCases)
    func removeInParts(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: Array(0..<150))
            _ = try await store.change(ActivityChange(end: .immediate), now: StoreFixtures.after(10))
            let first = try await store.removeActivities(overBefore: StoreFixtures.after(11), limit: 100)
            #expect(first == PrunedItems(hasMore: true), "the first part")
            #expect(try await store.activity(ActivityFixtures.lesson, of: StoreFixtures.app) != nil, "it is gone")
            var calls = 1
            while try await store.removeActivities(overBefore: StoreFixtures.after(11), limit: 100).hasMore {
                calls += 1
            }
            #expect(calls > 1, "it was removed in \(calls) part")
            #expect(try await store.activity(ActivityFixtures.lesson, of: StoreFixtures.app) == nil, "the activity")
            try await store.addLesson(phones: [1])
            let state = try await store.lesson().lifecycle.state
            #expect(state == .active, "another one of its name")
        }
    }

    @Test(
        "one that nobody joins is over after 30 days without a change, unless changes are planned",
        arguments: TestStoreBackend.allCases
    )
    func expireUnused(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let day = 86_400.0
            try await store.addLesson(phones: [])
            try await store.addLesson("lesson 2", phones: [])
            try await store.addLesson("lesson 3", phones: [])
            let change = try ActivityFixtures.patch(#"{"a":1}"#)
            _ = try await store.change(change, "lesson 2", now: StoreFixtures.after(10 * day))
            let plan = NewTransition(key: "later", time: .at(StoreFixtures.after(60 * day)), change: change)
            _ = try await store.plan([plan], for: "lesson 3", of: StoreFixtures.app, now: StoreFixtures.now)
            let nextTime = try await store.nextActivityTime()
            #expect(nextTime == StoreFixtures.after(30 * day), "the next time")
            for (days, states) in [
                (30.0, [ActivityLifecycle.State.expired, .pending, .pending]), (40, [.expired, .expired, .pending]),
                (60, [.expired, .expired, .pending]), (90, [.expired, .expired, .expired]),
            ] {
                _ = try await store.carryOutTransitions(limit: 10, now: StoreFixtures.after(days * day))
                let found = try await store.activities(of: StoreFixtures.app, matching: .init(), after: nil, limit: 10)
                #expect(found.elements.map(\.lifecycle.state) == states, "the states after \(days) days")
            }
        }
    }

    @Test(
        "the feed tells that an activity has started and is over, and that a phone is gone; of updates nothing",
        arguments: TestStoreBackend.allCases
    )
    func events(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivityFixtures.state("{}"))
            let dead = Settlement.Failure(index: 1, outcome: StoreFixtures.rejection(.expiredToken))
            try await store.settleAll(try await store.claimOne(), failures: [dead])
            _ = try await store.change(ActivityChange(end: .immediate), now: StoreFixtures.after(10))
            let events = try await store.events(of: StoreFixtures.app, after: nil, limit: 100, kinds: nil).events
            let told = events.filter { $0.kind.rawValue.hasPrefix("activity.") }
            try #require(
                told.map(\.kind) == [.activityStarted, .activityParticipantEnded, .activityEnded],
                "the events"
            )
            #expect(told[1].data["reason"] == "ExpiredToken", "why the phone is gone")
            #expect(told[2].data["state"] == "ended", "the state at the end")
        }
    }
}
