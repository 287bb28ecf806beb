// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let activityPhones = [
        Check("the phones of an activity are counted by how far they have come") { store in
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
            try expectEqual(first, ActivityPhones(invited: 1, active: 1, gone: 1), "the phones of the lesson")
            // A phone that has something on its way to it is behind.
            for text in ["3", "4"] { _ = try await store.change(ActivitySamples.state("{\"n\":\(text)}")) }
            let second = try await store.phones(of: ActivitySamples.lesson, app: StoreSamples.app)
            try expectEqual(second, ActivityPhones(invited: 1, active: 1, gone: 1, behind: 1), "the phones then")
            let none = try await store.phones(of: "unknown", app: StoreSamples.app)
            try expectEqual(none, nil, "the phones of no lesson")
        },
        Check("of the tokens that start activities the youngest counts, whenever it was told") { store in
            try await store.addSampleApp()
            try expect(
                try await store.keep(ActivitySamples.startToken(1, token: 10, issued: 5)),
                "the first is refused"
            )
            try expect(try await store.keep(ActivitySamples.startToken(1, token: 11, issued: 9)), "the next is refused")
            try expect(try await !store.keep(ActivitySamples.startToken(1, token: 12, issued: 7)), "an old one is kept")
            let found = try await store.pushToStartTokens(
                of: ActivitySamples.type,
                app: StoreSamples.app,
                installations: [ActivitySamples.phone(1), ActivitySamples.phone(2)]
            )
            let expected = try [ActivitySamples.phone(1): ActivitySamples.startToken(1, token: 11, issued: 9)]
            try expectEqual(found, expected, "the tokens")
        },
        Check("a push starts an activity where there is a token for that, and says where there is none") { store in
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
            try expectEqual(receipt, expected, "the receipt")
            try expectEqual(
                Array(claimed.batch.targets),
                try [11, 13].map { try StoreSamples.target($0) },
                "the targets"
            )
            let payload = ActivitySamples.payloads(claimed)[0]
            try expect(payload.contains(#""event":"start""#) && payload.contains(#"{"childId":"寿司"}"#), payload)
            try await store.settleAll(claimed)
            let again = try await store.invite(
                phones,
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            )
            try expectEqual(again?.sent, 0, "how many are started twice")
            try expectEqual(again?.takingPart, 2, "how many take part")
            let dry = try await store.estimateStart(of: ActivitySamples.activity(), on: phones, now: StoreSamples.now)
            try expectEqual([dry.sent, dry.takingPart], [0, 2], "what it would come to")
            // What starts it all the same where the phone has dropped the start.
            let departure = ActivityDeparture(installation: phones[0], reason: .ended)
            try expect(try await store.leave(departure, now: StoreSamples.after(1)), "the phone is not gone")
            let anew = try await store.invite(
                phones,
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.after(2)
            )
            try expectEqual([anew?.sent, anew?.takingPart], [1, 1], "how many are started then")
        },
        Check("a phone that a push started is sent what has changed until its token arrived, and nothing twice") {
            store in
            try await store.addSampleApp()
            _ = try await store.keep(ActivitySamples.startToken(1, token: 11))
            let phone = ActivitySamples.phone(1)
            _ = try await store.createActivity(ActivitySamples.activity(), inviting: [phone], now: StoreSamples.now)
            try await store.settleAll(try await store.claimOne())
            let change = try await store.change(ActivitySamples.state(#"{"n":2}"#))
            try expectEqual([change.sent, change.waiting], [0, 0], "what is sent without a token")
            let receipt = try await store.tell(ActivitySamples.upload(1), now: StoreSamples.after(5))
            try expectEqual(receipt?.sent, 1, "what is sent when it arrives")
            let claimed = try await store.claimOne(now: StoreSamples.after(5))
            try expect(ActivitySamples.payloads(claimed)[0].contains(#"{"n":2}"#), "the newest state is not sent")
            try await store.settleAll(claimed, now: StoreSamples.after(5))
            let repeated = try await store.tell(ActivitySamples.upload(1), now: StoreSamples.after(6))
            try expectEqual(repeated?.sent, 0, "what a second upload sends")
            let phones = try await store.phones()
            try expectEqual(phones.map(\.state), [.active], "the phone")
            try expectEqual(phones.map(\.origin), [.push], "who started it there")
            try expectEqual(try await store.lesson().lifecycle.startedAt, StoreSamples.after(5), "when it started")
        },
        Check("an app may be the first to tell of an activity, once") { store in
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
                try expectEqual(receipt, ActivityReceipt(version: 1, state: .active), "the receipt")
            }
            try expectEqual(try await store.phones().map(\.sentVersion), [1], "the phone")
            try expectEqual(try await store.claim().count, 0, "what is sent")
            let unknown = try await store.tell(ActivitySamples.upload(1), "other")
            try expectEqual(unknown, nil, "a token for an activity that nobody told of")
            let kinds = try await store.story().map(\.kind)
            try expectEqual(kinds, [.registered, .tokenArrived], "the timeline")
        },
        Check("updates go to the youngest token, also when an older one is told later") { store in
            try await store.addLesson(phones: [])
            _ = try await store.tell(ActivitySamples.upload(1, token: 1, issued: 1), now: StoreSamples.after(1))
            _ = try await store.tell(ActivitySamples.upload(1, token: 2, issued: 9), now: StoreSamples.after(10))
            _ = try await store.tell(ActivitySamples.upload(1, token: 1, issued: 5), now: StoreSamples.after(11))
            _ = try await store.change(ActivitySamples.state("{}"), now: StoreSamples.after(12))
            let claimed = try await store.claimOne(now: StoreSamples.after(12))
            try expectEqual(Array(claimed.batch.targets), [try StoreSamples.target(2)], "the target")
            let kinds = try await store.story().map(\.kind)
            try expectEqual(kinds, [.registered, .tokenArrived, .tokenRotated, .updated], "the timeline")
        },
        Check("a dead update token takes its phone out of the activity, and leaves the device alone") { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.register(StoreSamples.registration(1), now: StoreSamples.now)
            _ = try await store.change(ActivitySamples.state("{}"))
            let dead = StoreSamples.rejection(.unregistered, inactiveSince: StoreSamples.milliseconds(after: 100))
            let claimed = try await store.claimOne()
            try await store.settleAll(
                claimed,
                failures: [.init(index: 1, outcome: StoreSamples.rejection(.unregistered))]
            )
            let states = try await store.phones().map(\.state)
            try expectEqual(states, [.active, .gone(reason: "Unregistered")], "the phones")
            _ = try await store.change(ActivitySamples.state(#"{"n":1}"#))
            let second = try await store.claimOne()
            try expectEqual(Array(second.batch.targets), [try StoreSamples.target(1)], "who is sent to from then on")
            let device = try await store.device("device 1", of: StoreSamples.app)
            try expectEqual(device?.status, .active, "the device")
        },
        Check("what failed with a token that has rotated meanwhile is sent to the new one") { store in
            try await store.addLesson()
            _ = try await store.change(ActivitySamples.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            _ = try await store.tell(ActivitySamples.upload(1, token: 5, issued: 3), now: StoreSamples.after(3))
            let dead = StoreSamples.rejection(.expiredToken, inactiveSince: StoreSamples.milliseconds(after: 2))
            try await store.settleAll(claimed, failures: [.init(index: 0, outcome: dead)], now: StoreSamples.after(4))
            let second = try await store.claimOne(now: StoreSamples.after(4))
            try expectEqual(Array(second.batch.targets), [try StoreSamples.target(5)], "the target")
            try expectEqual(try await store.phones().map(\.state), [.active], "the phone")
        },
        Check("a dead token that starts activities is forgotten, unless the phone has told another one") { store in
            try await store.addSampleApp()
            for number in [1, 2] { _ = try await store.keep(ActivitySamples.startToken(number, token: 10 + number)) }
            let phones = [1, 2].map { ActivitySamples.phone($0) }
            _ = try await store.createActivity(ActivitySamples.activity(), inviting: phones, now: StoreSamples.now)
            _ = try await store.keep(ActivitySamples.startToken(2, token: 22, issued: 1))
            let dead = StoreSamples.rejection(.unregistered)
            let failures = [0, 1].map { Settlement.Failure(index: $0, outcome: dead) }
            try await store.settleAll(try await store.claimOne(), failures: failures)
            let left = try await store.pushToStartTokens(
                of: ActivitySamples.type,
                app: StoreSamples.app,
                installations: phones
            )
            try expectEqual(left.keys.sorted(), [ActivitySamples.phone(2)], "the tokens that are left")
            let gone = ActivityParticipant.State.gone(reason: "Unregistered")
            try expectEqual(try await store.phones().map(\.state), [gone, gone], "the phones")
        },
        Check("what failed in one environment is sent again when the app has told the other one for the token") {
            store in
            try await store.addLesson()
            _ = try await store.change(ActivitySamples.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            let upload = ActivityTokenUpload(
                installation: ActivitySamples.phone(1),
                token: try StoreSamples.token(1),
                environment: .sandbox,
                issuedAt: StoreSamples.after(3)
            )
            _ = try await store.tell(upload, now: StoreSamples.after(3))
            let bad = Settlement.Failure(index: 0, outcome: StoreSamples.rejection(.badDeviceToken))
            try await store.settleAll(claimed, failures: [bad], now: StoreSamples.after(4))
            try expectEqual(try await store.phones().map(\.state), [.active], "the phone")
            let second = try await store.claimOne(now: StoreSamples.after(4))
            let target = Target(token: try StoreSamples.token(1), environment: .sandbox)
            try expectEqual(Array(second.batch.targets), [target], "the target")
        },
        Check("a start that failed says nothing of a phone that was invited again, whatever becomes of its batch") {
            store in
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
            try expectEqual(try await store.phones().map(\.state), [gone, .invited], "the phones")
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
            try expectEqual(again?.sent, 1, "how many are started")
            _ = try await store.settle(
                Settlement(of: claimed, range: 1..<2, failures: []),
                now: StoreSamples.after(7)
            )
            try await store.sendOn(now: StoreSamples.after(7))
            try expectEqual(try await store.phones().map(\.state), [.invited, .invited], "the phones then")
            let left = try await store.pushToStartTokens(
                of: ActivitySamples.type,
                app: StoreSamples.app,
                installations: phones
            )
            try expectEqual(left.count, 2, "how many tokens are left")
        },
        Check("what waits to be sent again gives way to what is newer, and its time is kept") { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivitySamples.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            let deferral = Deferral(index: 0, attempts: 1, notBefore: StoreSamples.after(30))
            let settlement = Settlement(of: claimed, range: 0..<2, failures: [], deferrals: [deferral])
            _ = try await store.settle(settlement, now: StoreSamples.now)
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreSamples.now)
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#), now: StoreSamples.after(1))
            let second = try await store.claimOne(now: StoreSamples.after(1))
            try expectEqual(Array(second.batch.targets), [try StoreSamples.target(2)], "who is sent to at once")
            let old = try require(try await store.notification(claimed.batch.notification), "the first notification")
            let counts = OutcomeCounts(delivered: 1, failed: [.superseded: 1])
            try expectEqual(old.counts, counts, "what the first update came to")
            try expect(old.isDone, "the first update is not done")
            try expectEqual(try await store.claim(now: StoreSamples.after(29)).count, 0, "what is sent too early")
            let third = try await store.claimOne(now: StoreSamples.after(30))
            try expectEqual(Array(third.batch.targets), [try StoreSamples.target(1)], "who is sent to then")
            try expect(ActivitySamples.payloads(third)[0].contains(#"{"n":2}"#), "the newest state is not sent")
        },
        Check("a batch that comes to nothing leaves its phones behind, and lets those go on that wait for it") {
            store in
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
            try expectEqual(try await store.phones().map(\.sentVersion), [1, 1], "what the phones were sent")
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#))
            let second = try await store.claimOne()
            _ = try await store.change(ActivitySamples.state(#"{"n":3}"#))
            _ = try await store.close(second.batch.id, worker: second.worker, as: .store, now: StoreSamples.now)
            try await store.sendOn()
            let third = try await store.claimOne()
            try expectEqual(third.batch.targets.count, 2, "how many are sent what is newest")
            try expect(ActivitySamples.payloads(third)[0].contains(#"{"n":3}"#), "the newest state is not sent")
        },
        Check("nothing is sent to a phone on which the system has ended the activity") { store in
            try await store.addLesson(phones: [1])
            _ = try await store.tell(ActivitySamples.upload(2), now: StoreSamples.after(3600))
            _ = try await store.change(ActivitySamples.state("{}"), now: StoreSamples.after(8 * 3600))
            let claimed = try await store.claimOne(now: StoreSamples.after(8 * 3600))
            try expectEqual(Array(claimed.batch.targets), [try StoreSamples.target(2)], "who is sent to")
            let states = try await store.phones().map(\.state)
            try expectEqual(states, [.gone(reason: "expired"), .active], "the phones")
        },
    ]
}
