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

@Suite("Stores: activity order", .timeLimit(.minutes(20)))
struct ActivityOrderTests {
    @Test(
        "an activity that changes twice in one call is sent once, as it is then",
        arguments: TestStoreBackend.allCases
    )
    func twiceInOneCall(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            let orders = try (1...2).map { number in
                ActivityUpdate(
                    activity: ActivityFixtures.lesson,
                    change: try ActivityFixtures.patch(#"{"n\#(number)":1}"#)
                )
            }
            let results = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            let claimed = try await store.claimOne()
            #expect(claimed.batch.targets.count == 2, "how many are sent to")
            let payload = ActivityFixtures.payloads(claimed)[0]
            #expect(payload.contains(#"{"n1":1,"n2":1,"status":"active"}"#), "what is sent: \(payload)")
            let receipts = [
                ActivityUpdateResult(version: 2, state: .active),
                ActivityUpdateResult(
                    version: 3,
                    state: .active,
                    sent: 2,
                    notification: claimed.batch.notification,
                    cost: try ActivityFixtures.cost(phones: 2)
                ),
            ]
            #expect(results == receipts.map { .changed($0) }, "the results")
        }
    }

    @Test(
        "what took the place of something that waits gives way as well, and the others in its batch go on",
        arguments: TestStoreBackend.allCases
    )
    func giveWay(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            try await store.addLesson("lesson 2", phones: [3])
            let orders = try [ActivityFixtures.lesson, "lesson 2"].map {
                ActivityUpdate(activity: $0, change: try ActivityFixtures.state(#"{"n":1}"#))
            }
            _ = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            let claimed = try await store.claimOne()
            let deferrals = (0..<3).map { Deferral(index: $0, notBefore: StoreFixtures.after(30)) }
            _ = try await store.settle(
                Settlement(of: claimed, range: 0..<3, failures: [], deferrals: deferrals),
                now: StoreFixtures.now
            )
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.now)
            for number in 2...4 {
                let receipt = try await store.change(
                    ActivityFixtures.state(#"{"n":\#(number)}"#),
                    now: StoreFixtures.after(Double(number))
                )
                #expect([receipt.sent, receipt.pending] == [2, 0], "what takes its place")
            }
            let claimedCount = try await store.claim(now: StoreFixtures.after(29)).count
            #expect(claimedCount == 0, "what is sent too early")
            let due = try await store.claim(now: StoreFixtures.after(30))
            #expect(due.count == 2, "how many batches are left")
            let sent = due.flatMap { batch in
                (batch.due.map(\.index) + (batch.cursor..<batch.batch.targets.count)).map { index in
                    (batch.batch.targets[index], batch.batch.payload[index].text)
                }
            }
            let expected = try [1, 2, 3].map { try StoreFixtures.target($0) }
            #expect(sent.map(\.0).sorted { $0.token.hex < $1.token.hex } == expected, "who is sent to, once each")
            let newest = sent.filter { $0.0 != expected[2] }
            #expect(newest.allSatisfy { $0.1.contains(#"{"n":4}"#) }, "what is sent: \(newest.map(\.1))")
        }
    }

    @Test(
        "what a dead worker left to be sent later gives way to what is newer, too",
        arguments: TestStoreBackend.allCases
    )
    func giveWayAfterCrash(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            let deferral = Deferral(index: 0, notBefore: StoreFixtures.after(600))
            _ = try await store.settle(
                Settlement(of: claimed, range: 0..<1, failures: [], deferrals: [deferral]),
                now: StoreFixtures.now
            )
            let waiting = try await store.change(ActivityFixtures.state(#"{"n":2}"#), now: StoreFixtures.after(1))
            #expect([waiting.sent, waiting.pending] == [0, 1], "what is sent while the worker has it")
            let claimedCount = try await store.claim(now: StoreFixtures.after(61)).count
            #expect(claimedCount == 0, "what another worker sends")
            try await store.sendOn(now: StoreFixtures.after(61))
            let old = try #require(try await store.notification(claimed.batch.notification), "the notification")
            #expect(old.counts == OutcomeCounts(failed: [.superseded: 1]), "what the first update came to")
            let next = try await store.claimOne(now: StoreFixtures.after(600))
            #expect(ActivityFixtures.payloads(next)[0].contains(#"{"n":2}"#), "the newest state is not sent")
        }
    }

    @Test(
        "an alert that waits to be sent again goes with what takes its place, and as eagerly as it asks",
        arguments: TestStoreBackend.allCases
    )
    func alertGoesAlong(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for isReleased in [true, false] {
                let lesson = ActivityID(unchecked: "lesson \(isReleased)")
                try await store.addLesson(lesson, phones: [1])
                let first = try ActivityFixtures.state(#"{"n":1}"#, alert: ActivityFixtures.alert)
                _ = try await store.change(first, lesson)
                let claimed = try await store.claimOne()
                let alerts = ActivityFixtures.payloads(claimed).map { $0.contains("It begins") }
                #expect(alerts == [true], "whether the alert is sent")
                let deferral = Deferral(index: 0, notBefore: StoreFixtures.after(600))
                _ = try await store.settle(
                    Settlement(of: claimed, range: 0..<1, failures: [], deferrals: [deferral]),
                    now: StoreFixtures.now
                )
                if isReleased {
                    try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.now)
                }
                // What takes its place may be overtaken as well, and may have changed several times by then.
                for number in 2...4 {
                    var change = try ActivityFixtures.state(#"{"n":\#(number)}"#)
                    change.priority = .powerConsiderate
                    _ = try await store.change(change, lesson, now: StoreFixtures.after(Double(number)))
                }
                if !isReleased {
                    let claimedCount = try await store.claim(now: StoreFixtures.after(61)).count
                    #expect(claimedCount == 0, "what another one sends")
                    try await store.sendOn(now: StoreFixtures.after(61))
                }
                let next = try await store.claimOne(now: StoreFixtures.after(600))
                let payload = ActivityFixtures.payloads(next)[0]
                #expect(payload.contains(#"{"n":4}"#) && payload.contains("It begins"), "what is sent: \(payload)")
                #expect(next.batch.headers.priority == .immediate, "how eagerly")
                try await store.settleAll(next, now: StoreFixtures.after(600))
                _ = try await store.change(ActivityFixtures.state(#"{"n":5}"#), lesson, now: StoreFixtures.after(601))
                let last = try await store.claimOne(now: StoreFixtures.after(601))
                #expect(!ActivityFixtures.payloads(last)[0].contains("It begins"), "the alert is sent twice")
                try await store.settleAll(last, now: StoreFixtures.after(601))
            }
        }
    }

    @Test(
        "an alert in a push that fails goes with the next change, also when that push carried several",
        arguments: TestStoreBackend.allCases
    )
    func alertOfFailedPush(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let alert = try ActivityUpdate(
                activity: ActivityFixtures.lesson,
                change: ActivityFixtures.state(#"{"n":1}"#, alert: ActivityFixtures.alert)
            )
            let plain = try ActivityUpdate(
                activity: ActivityFixtures.lesson,
                change: ActivityFixtures.state(#"{"n":2}"#)
            )
            _ = try await store.change([alert, plain], of: StoreFixtures.app, now: StoreFixtures.now)
            let claimed = try await store.claimOne()
            #expect(ActivityFixtures.payloads(claimed)[0].contains("It begins"), "the alert is not sent")
            let failure = Settlement.Failure(index: 0, outcome: .failed(.timeout))
            try await store.settleAll(claimed, failures: [failure])
            let sentVersions = try await store.phones().map(\.lastSentVersion)
            #expect(sentVersions == [1], "what the phone shows")
            _ = try await store.change(ActivityFixtures.state(#"{"n":3}"#), now: StoreFixtures.after(1))
            let next = try await store.claimOne(now: StoreFixtures.after(1))
            #expect(ActivityFixtures.payloads(next)[0].contains("It begins"), "the alert is lost")
        }
    }

    @Test(
        "however changes, delays and losses meet, phones are sent rising timestamps, and at last the newest state",
        arguments: TestStoreBackend.allCases
    )
    func risingTimestamps(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let lessons = (0..<3).map { ActivityID(unchecked: "lesson \($0)") }
            for (number, lesson) in lessons.enumerated() {
                try await store.addLesson(lesson, phones: Array((10 * number)..<(10 * number + 4)))
            }
            let traffic = ActivityTraffic(store, lessons: lessons, seed: .random(in: 0 ... .max))
            try await traffic.run(changes: 12, workers: 3)
            let arrived = traffic.arrived
            try #require(arrived.count == 12, "how many phones were sent something")
            for (number, lesson) in lessons.enumerated() {
                let newest = try await store.lesson(lesson).lifecycle.timestamp
                for phone in (10 * number)..<(10 * number + 4) {
                    let timestamps = arrived[try StoreFixtures.token(phone)] ?? []
                    let isRising = zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 < $1 }
                    #expect(isRising, "phone \(phone) was sent \(timestamps)")
                    #expect(timestamps.last == newest, "what phone \(phone) was sent last")
                }
            }
        }
    }
}
