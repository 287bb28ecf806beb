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

@Suite("Stores: activity phones", .timeLimit(.minutes(20)))
struct ActivityPhoneTests {
    @Test("the phones of an activity are counted by how far they have come", arguments: TestStoreBackend.allCases)
    func countStates(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            try await store.addLesson("another lesson", phones: [3])
            _ = try await store.keep(ActivityFixtures.startToken(4, token: 14))
            _ = try await store.start(
                on: [ActivityFixtures.phone(4)],
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.now
            )
            try await store.settleAll(try await store.claimOne())
            _ = try await store.change(ActivityFixtures.state(#"{"n":2}"#))
            let claimed = try await store.claimOne()
            try await store.settleAll(
                claimed,
                failures: [.init(index: 0, outcome: StoreFixtures.rejection(.unregistered))]
            )
            let first = try await store.participantCounts(of: ActivityFixtures.lesson, app: StoreFixtures.app)
            #expect(first == ParticipantCounts(starting: 1, active: 1, ended: 1), "the phones of the lesson")
            // A phone that has something on its way to it is behind.
            for text in ["3", "4"] { _ = try await store.change(ActivityFixtures.state("{\"n\":\(text)}")) }
            let second = try await store.participantCounts(of: ActivityFixtures.lesson, app: StoreFixtures.app)
            #expect(second == ParticipantCounts(starting: 1, active: 1, ended: 1, outdated: 1), "the phones then")
            let none = try await store.participantCounts(of: "unknown", app: StoreFixtures.app)
            #expect(none == nil, "the phones of no lesson")
        }
    }

    @Test(
        "a push starts an activity where there is a token for that, and says where there is none",
        arguments: TestStoreBackend.allCases
    )
    func start(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in [1, 3] { _ = try await store.keep(ActivityFixtures.startToken(number, token: 10 + number)) }
            let phones = [1, 2, 3, 1].map { ActivityFixtures.phone($0) }
            let receipt = try await store.createActivity(
                ActivityFixtures.activity(),
                startingOn: phones,
                now: StoreFixtures.now
            )
            let claimed = try await store.claimOne()
            let expected = ActivityUpdateResult(
                version: 1,
                state: .pending,
                sent: 2,
                notification: claimed.batch.notification,
                notStartable: [ActivityFixtures.phone(2)]
            )
            #expect(receipt == expected, "the receipt")
            let targetsExpected = try [11, 13].map { try StoreFixtures.target($0) }
            #expect(Array(claimed.batch.targets) == targetsExpected, "the targets")
            let payload = ActivityFixtures.payloads(claimed)[0]
            #expect(
                payload.contains(#""event":"start""#) && payload.contains(#"{"childId":"寿司"}"#),
                Comment(rawValue: payload)
            )
            try await store.settleAll(claimed)
            let again = try await store.start(
                on: phones,
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.now
            )
            #expect(again?.sent == 0, "how many are started twice")
            #expect(again?.alreadyParticipating == 2, "how many take part")
            let dry = try await store.estimateStart(of: ActivityFixtures.activity(), on: phones, now: StoreFixtures.now)
            #expect([dry.sent, dry.alreadyParticipating] == [0, 2], "what it would come to")
            // What starts it all the same where the phone has dropped the start.
            let departure = ActivityEndReport(installation: phones[0], reason: .ended)
            #expect(try await store.leave(departure, now: StoreFixtures.after(1)), "the phone is not gone")
            let second = try await store.start(
                on: phones,
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.after(2)
            )
            #expect([second?.sent, second?.alreadyParticipating] == [1, 1], "the counts of the second start")
        }
    }

    @Test(
        "a phone that a push started is sent what has changed until its token arrived, and nothing twice",
        arguments: TestStoreBackend.allCases
    )
    func startedPhoneCatchesUp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ActivityFixtures.startToken(1, token: 11))
            let phone = ActivityFixtures.phone(1)
            _ = try await store.createActivity(ActivityFixtures.activity(), startingOn: [phone], now: StoreFixtures.now)
            try await store.settleAll(try await store.claimOne())
            let change = try await store.change(ActivityFixtures.state(#"{"n":2}"#))
            #expect([change.sent, change.pending] == [0, 0], "what is sent without a token")
            let receipt = try await store.tell(ActivityFixtures.upload(1), now: StoreFixtures.after(5))
            #expect(receipt?.sent == 1, "what is sent when it arrives")
            let claimed = try await store.claimOne(now: StoreFixtures.after(5))
            #expect(ActivityFixtures.payloads(claimed)[0].contains(#"{"n":2}"#), "the newest state is not sent")
            try await store.settleAll(claimed, now: StoreFixtures.after(5))
            let repeated = try await store.tell(ActivityFixtures.upload(1), now: StoreFixtures.after(6))
            #expect(repeated?.sent == 0, "what a second upload sends")
            let phones = try await store.phones()
            #expect(phones.map(\.state) == [.active], "the phone")
            #expect(phones.map(\.origin) == [.push], "who started it there")
            let startedAt = try await store.lesson().lifecycle.startedAt
            #expect(startedAt == StoreFixtures.after(5), "when it started")
        }
    }

    @Test("an app may be the first to tell of an activity, once", arguments: TestStoreBackend.allCases)
    func phoneCreatesActivity(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let draft = try ActivityFixtures.activity()
            for _ in 0..<2 {
                let receipt = try await store.receive(
                    ActivityFixtures.upload(1),
                    for: draft.id,
                    of: StoreFixtures.app,
                    creating: draft,
                    now: StoreFixtures.now
                )
                #expect(receipt == ActivityUpdateResult(version: 1, state: .active), "the receipt")
            }
            let sentVersions = try await store.phones().map(\.lastSentVersion)
            #expect(sentVersions == [1], "the phone")
            let claimedCount = try await store.claim().count
            #expect(claimedCount == 0, "what is sent")
            let unknown = try await store.tell(ActivityFixtures.upload(1), "other")
            #expect(unknown == nil, "a token for an activity that nobody told of")
            let kinds = try await store.story().map(\.kind)
            #expect(kinds == [.registered, .tokenReceived], "the timeline")
        }
    }

    @Test(
        "a failed start does not end a device that was sent another start, regardless of its batch",
        arguments: TestStoreBackend.allCases
    )
    func failedStartBeforeAnother(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in [1, 2] { _ = try await store.keep(ActivityFixtures.startToken(number, token: 10 + number)) }
            let phones = [1, 2].map { ActivityFixtures.phone($0) }
            _ = try await store.createActivity(ActivityFixtures.activity(), startingOn: phones, now: StoreFixtures.now)
            let claimed = try await store.claimOne()
            let failure = Settlement.Failure(index: 0, outcome: StoreFixtures.rejection(.badDeviceToken))
            _ = try await store.settle(
                Settlement(of: claimed, range: 0..<1, failures: [failure]),
                now: StoreFixtures.now
            )
            try await store.sendOn()
            let ended = ActivityParticipant.State.ended(reason: "BadDeviceToken")
            let states = try await store.phones().map(\.state)
            #expect(states == [ended, .starting], "the phones")
            // The same token in the other environment.
            let token = PushToStartToken(
                app: StoreFixtures.app,
                installation: phones[0],
                attributesType: ActivityFixtures.type,
                token: try StoreFixtures.token(11),
                environment: .sandbox,
                issuedAt: StoreFixtures.after(5)
            )
            _ = try await store.keep(token)
            let again = try await store.start(
                on: [phones[0]],
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.after(6)
            )
            #expect(again?.sent == 1, "how many are started")
            _ = try await store.settle(
                Settlement(of: claimed, range: 1..<2, failures: []),
                now: StoreFixtures.after(7)
            )
            try await store.sendOn(now: StoreFixtures.after(7))
            let phonesThen = try await store.phones().map(\.state)
            #expect(phonesThen == [.starting, .starting], "the phones then")
            let left = try await store.pushToStartTokens(
                of: ActivityFixtures.type,
                app: StoreFixtures.app,
                installations: phones
            )
            #expect(left.count == 2, "how many tokens are left")
        }
    }

    @Test(
        "what waits to be sent again gives way to what is newer, and its time is kept",
        arguments: TestStoreBackend.allCases
    )
    func deferredGivesWay(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            let deferral = Deferral(index: 0, attempts: 1, notBefore: StoreFixtures.after(30))
            let settlement = Settlement(of: claimed, range: 0..<2, failures: [], deferrals: [deferral])
            _ = try await store.settle(settlement, now: StoreFixtures.now)
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreFixtures.now)
            _ = try await store.change(ActivityFixtures.state(#"{"n":2}"#), now: StoreFixtures.after(1))
            let second = try await store.claimOne(now: StoreFixtures.after(1))
            let expected = [try StoreFixtures.target(2)]
            #expect(Array(second.batch.targets) == expected, "who is sent to at once")
            let old = try #require(try await store.notification(claimed.batch.notification), "the first notification")
            let counts = OutcomeCounts(delivered: 1, failed: [.superseded: 1])
            #expect(old.counts == counts, "what the first update came to")
            #expect(old.isDone, "the first update is not done")
            let claimedCount = try await store.claim(now: StoreFixtures.after(29)).count
            #expect(claimedCount == 0, "what is sent too early")
            let third = try await store.claimOne(now: StoreFixtures.after(30))
            let sentThen = [try StoreFixtures.target(1)]
            #expect(Array(third.batch.targets) == sentThen, "who is sent to then")
            #expect(ActivityFixtures.payloads(third)[0].contains(#"{"n":2}"#), "the newest state is not sent")
        }
    }

    @Test(
        "a batch that comes to nothing leaves its phones behind, and lets those go on that wait for it",
        arguments: TestStoreBackend.allCases
    )
    func failedBatch(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            _ = try await store.close(
                claimed.batch.id,
                worker: claimed.worker,
                as: .noCredential,
                now: StoreFixtures.now
            )
            try await store.sendOn()
            let sentVersions = try await store.phones().map(\.lastSentVersion)
            #expect(sentVersions == [1, 1], "what the phones were sent")
            _ = try await store.change(ActivityFixtures.state(#"{"n":2}"#))
            let second = try await store.claimOne()
            _ = try await store.change(ActivityFixtures.state(#"{"n":3}"#))
            _ = try await store.close(second.batch.id, worker: second.worker, as: .storeError, now: StoreFixtures.now)
            try await store.sendOn()
            let third = try await store.claimOne()
            #expect(third.batch.targets.count == 2, "how many are sent what is newest")
            #expect(ActivityFixtures.payloads(third)[0].contains(#"{"n":3}"#), "the newest state is not sent")
        }
    }

    @Test("nothing is sent to a phone on which the system has ended the activity", arguments: TestStoreBackend.allCases)
    func endedBySystem(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            _ = try await store.tell(ActivityFixtures.upload(2), now: StoreFixtures.after(3600))
            _ = try await store.change(ActivityFixtures.state("{}"), now: StoreFixtures.after(8 * 3600))
            let claimed = try await store.claimOne(now: StoreFixtures.after(8 * 3600))
            let expected = [try StoreFixtures.target(2)]
            #expect(Array(claimed.batch.targets) == expected, "who is sent to")
            let states = try await store.phones().map(\.state)
            #expect(states == [.ended(reason: "expired"), .active], "the phones")
        }
    }
}
