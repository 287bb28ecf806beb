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

@Suite("Stores: activity phones", .timeLimit(.minutes(5)))
struct ActivityPhoneTests {
    @Test("the phones of an activity are counted by how far they have come", arguments: StoreInTest.allCases)
    func countStates(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            try await store.addLesson("another lesson", phones: [3])
            _ = try await store.keep(ActivitySamples.startToken(4, token: 14))
            _ = try await store.invite(
                [ActivitySamples.phone(4)],
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            )
            try await store.settleAll(try await store.claimOne())
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#))
            let claimed = try await store.claimOne()
            try await store.settleAll(
                claimed,
                failures: [.init(index: 0, outcome: StoreSamples.rejection(.unregistered))]
            )
            let first = try await store.phones(of: ActivitySamples.lesson, app: StoreSamples.app)
            #expect(first == ActivityPhones(invited: 1, active: 1, gone: 1), "the phones of the lesson")
            // A phone that has something on its way to it is behind.
            for text in ["3", "4"] { _ = try await store.change(ActivitySamples.state("{\"n\":\(text)}")) }
            let second = try await store.phones(of: ActivitySamples.lesson, app: StoreSamples.app)
            #expect(second == ActivityPhones(invited: 1, active: 1, gone: 1, behind: 1), "the phones then")
            let none = try await store.phones(of: "unknown", app: StoreSamples.app)
            #expect(none == nil, "the phones of no lesson")
        }
    }

    @Test(
        "a push starts an activity where there is a token for that, and says where there is none",
        arguments: StoreInTest.allCases
    )
    func start(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in [1, 3] { _ = try await store.keep(ActivitySamples.startToken(number, token: 10 + number)) }
            let phones = [1, 2, 3, 1].map { ActivitySamples.phone($0) }
            let receipt = try await store.createActivity(
                ActivitySamples.activity(),
                inviting: phones,
                now: StoreSamples.now
            )
            let claimed = try await store.claimOne()
            let expected = ActivityReceipt(
                version: 1,
                state: .pending,
                sent: 2,
                notification: claimed.batch.notification,
                unreachable: [ActivitySamples.phone(2)]
            )
            #expect(receipt == expected, "the receipt")
            let targetsExpected = try [11, 13].map { try StoreSamples.target($0) }
            #expect(Array(claimed.batch.targets) == targetsExpected, "the targets")
            let payload = ActivitySamples.payloads(claimed)[0]
            #expect(
                payload.contains(#""event":"start""#) && payload.contains(#"{"childId":"寿司"}"#),
                Comment(rawValue: payload)
            )
            try await store.settleAll(claimed)
            let again = try await store.invite(
                phones,
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            )
            #expect(again?.sent == 0, "how many are started twice")
            #expect(again?.takingPart == 2, "how many take part")
            let dry = try await store.estimateStart(of: ActivitySamples.activity(), on: phones, now: StoreSamples.now)
            #expect([dry.sent, dry.takingPart] == [0, 2], "what it would come to")
            // What starts it all the same where the phone has dropped the start.
            let departure = ActivityDeparture(installation: phones[0], reason: .ended)
            #expect(try await store.leave(departure, now: StoreSamples.after(1)), "the phone is not gone")
            let anew = try await store.invite(
                phones,
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.after(2)
            )
            #expect([anew?.sent, anew?.takingPart] == [1, 1], "how many are started then")
        }
    }

    @Test(
        "a phone that a push started is sent what has changed until its token arrived, and nothing twice",
        arguments: StoreInTest.allCases
    )
    func startedPhoneCatchesUp(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            _ = try await store.keep(ActivitySamples.startToken(1, token: 11))
            let phone = ActivitySamples.phone(1)
            _ = try await store.createActivity(ActivitySamples.activity(), inviting: [phone], now: StoreSamples.now)
            try await store.settleAll(try await store.claimOne())
            let change = try await store.change(ActivitySamples.state(#"{"n":2}"#))
            #expect([change.sent, change.waiting] == [0, 0], "what is sent without a token")
            let receipt = try await store.tell(ActivitySamples.upload(1), now: StoreSamples.after(5))
            #expect(receipt?.sent == 1, "what is sent when it arrives")
            let claimed = try await store.claimOne(now: StoreSamples.after(5))
            #expect(ActivitySamples.payloads(claimed)[0].contains(#"{"n":2}"#), "the newest state is not sent")
            try await store.settleAll(claimed, now: StoreSamples.after(5))
            let repeated = try await store.tell(ActivitySamples.upload(1), now: StoreSamples.after(6))
            #expect(repeated?.sent == 0, "what a second upload sends")
            let phones = try await store.phones()
            #expect(phones.map(\.state) == [.active], "the phone")
            #expect(phones.map(\.origin) == [.push], "who started it there")
            let startedAt = try await store.lesson().lifecycle.startedAt
            #expect(startedAt == StoreSamples.after(5), "when it started")
        }
    }

    @Test("an app may be the first to tell of an activity, once", arguments: StoreInTest.allCases)
    func phoneCreatesActivity(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let draft = try ActivitySamples.activity()
            for _ in 0..<2 {
                let receipt = try await store.receive(
                    ActivitySamples.upload(1),
                    for: draft.id,
                    of: StoreSamples.app,
                    creating: draft,
                    now: StoreSamples.now
                )
                #expect(receipt == ActivityReceipt(version: 1, state: .active), "the receipt")
            }
            let sentVersions = try await store.phones().map(\.sentVersion)
            #expect(sentVersions == [1], "the phone")
            let claimedCount = try await store.claim().count
            #expect(claimedCount == 0, "what is sent")
            let unknown = try await store.tell(ActivitySamples.upload(1), "other")
            #expect(unknown == nil, "a token for an activity that nobody told of")
            let kinds = try await store.story().map(\.kind)
            #expect(kinds == [.registered, .tokenArrived], "the timeline")
        }
    }

    @Test(
        "a start that failed says nothing of a phone that was invited again, whatever becomes of its batch",
        arguments: StoreInTest.allCases
    )
    func failedStartOfReinvited(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in [1, 2] { _ = try await store.keep(ActivitySamples.startToken(number, token: 10 + number)) }
            let phones = [1, 2].map { ActivitySamples.phone($0) }
            _ = try await store.createActivity(ActivitySamples.activity(), inviting: phones, now: StoreSamples.now)
            let claimed = try await store.claimOne()
            let failure = Settlement.Failure(index: 0, outcome: StoreSamples.rejection(.badDeviceToken))
            _ = try await store.settle(
                Settlement(of: claimed, range: 0..<1, failures: [failure]),
                now: StoreSamples.now
            )
            try await store.sendOn()
            let gone = ActivityParticipant.State.gone(reason: "BadDeviceToken")
            let states = try await store.phones().map(\.state)
            #expect(states == [gone, .invited], "the phones")
            // The same token in the other environment.
            let token = PushToStartToken(
                app: StoreSamples.app,
                installation: phones[0],
                attributesType: ActivitySamples.type,
                token: try StoreSamples.token(11),
                environment: .sandbox,
                issuedAt: StoreSamples.after(5)
            )
            _ = try await store.keep(token)
            let again = try await store.invite(
                [phones[0]],
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.after(6)
            )
            #expect(again?.sent == 1, "how many are started")
            _ = try await store.settle(
                Settlement(of: claimed, range: 1..<2, failures: []),
                now: StoreSamples.after(7)
            )
            try await store.sendOn(now: StoreSamples.after(7))
            let phonesThen = try await store.phones().map(\.state)
            #expect(phonesThen == [.invited, .invited], "the phones then")
            let left = try await store.pushToStartTokens(
                of: ActivitySamples.type,
                app: StoreSamples.app,
                installations: phones
            )
            #expect(left.count == 2, "how many tokens are left")
        }
    }

    @Test(
        "what waits to be sent again gives way to what is newer, and its time is kept",
        arguments: StoreInTest.allCases
    )
    func deferredGivesWay(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivitySamples.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            let deferral = Deferral(index: 0, attempts: 1, notBefore: StoreSamples.after(30))
            let settlement = Settlement(of: claimed, range: 0..<2, failures: [], deferrals: [deferral])
            _ = try await store.settle(settlement, now: StoreSamples.now)
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreSamples.now)
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#), now: StoreSamples.after(1))
            let second = try await store.claimOne(now: StoreSamples.after(1))
            let expected = [try StoreSamples.target(2)]
            #expect(Array(second.batch.targets) == expected, "who is sent to at once")
            let old = try #require(try await store.notification(claimed.batch.notification), "the first notification")
            let counts = OutcomeCounts(delivered: 1, failed: [.superseded: 1])
            #expect(old.counts == counts, "what the first update came to")
            #expect(old.isDone, "the first update is not done")
            let claimedCount = try await store.claim(now: StoreSamples.after(29)).count
            #expect(claimedCount == 0, "what is sent too early")
            let third = try await store.claimOne(now: StoreSamples.after(30))
            let sentThen = [try StoreSamples.target(1)]
            #expect(Array(third.batch.targets) == sentThen, "who is sent to then")
            #expect(ActivitySamples.payloads(third)[0].contains(#"{"n":2}"#), "the newest state is not sent")
        }
    }

    @Test(
        "a batch that comes to nothing leaves its phones behind, and lets those go on that wait for it",
        arguments: StoreInTest.allCases
    )
    func failedBatch(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivitySamples.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            _ = try await store.close(
                claimed.batch.id,
                worker: claimed.worker,
                as: .noCredential,
                now: StoreSamples.now
            )
            try await store.sendOn()
            let sentVersions = try await store.phones().map(\.sentVersion)
            #expect(sentVersions == [1, 1], "what the phones were sent")
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#))
            let second = try await store.claimOne()
            _ = try await store.change(ActivitySamples.state(#"{"n":3}"#))
            _ = try await store.close(second.batch.id, worker: second.worker, as: .store, now: StoreSamples.now)
            try await store.sendOn()
            let third = try await store.claimOne()
            #expect(third.batch.targets.count == 2, "how many are sent what is newest")
            #expect(ActivitySamples.payloads(third)[0].contains(#"{"n":3}"#), "the newest state is not sent")
        }
    }

    @Test("nothing is sent to a phone on which the system has ended the activity", arguments: StoreInTest.allCases)
    func endedBySystem(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            _ = try await store.tell(ActivitySamples.upload(2), now: StoreSamples.after(3600))
            _ = try await store.change(ActivitySamples.state("{}"), now: StoreSamples.after(8 * 3600))
            let claimed = try await store.claimOne(now: StoreSamples.after(8 * 3600))
            let expected = [try StoreSamples.target(2)]
            #expect(Array(claimed.batch.targets) == expected, "who is sent to")
            let states = try await store.phones().map(\.state)
            #expect(states == [.gone(reason: "expired"), .active], "the phones")
        }
    }
}
