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

@Suite("Stores: activity answers", .timeLimit(.minutes(5)))
struct ActivityAnswerTests {
    @Test(
        "the answer to a change of activities is kept with it, and the change is carried out once",
        arguments: StoreInTest.allCases
    )
    func change(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let order = ActivityOrder(activity: ActivitySamples.lesson, change: try ActivitySamples.patch(#"{"n":1}"#))
            let note: AnswerNote<[ActivityResult]> = { results in
                guard case .changed(let receipt)? = results.first else { return nil }
                let id = receipt.notification ?? NotificationID(now: StoreSamples.now)
                return StoreSamples.record("a", of: id, createdAt: StoreSamples.now)
            }
            let results = try await store.change([order], of: StoreSamples.app, now: StoreSamples.now, noting: note)
            guard case .changed(let receipt)? = results.first else {
                Issue.record("the change came to \(results)")
                return
            }
            let record = try await store.idempotencyRecord(StoreSamples.slot("a"))
            #expect(record?.notification == receipt.notification, "what the answer is about")
            try await expectError(.conflict, "the same once more") {
                _ = try await store.change([order], of: StoreSamples.app, now: StoreSamples.after(1), noting: note)
            }
            let lifecycleVersion = try await store.lesson().lifecycle.version
            #expect(lifecycleVersion == 2, "the version")
            let kinds = try await store.story().map(\.kind)
            #expect(kinds == [.registered, .tokenArrived, .updated], "the timeline")
        }
    }

    @Test("a change that is refused keeps no answer", arguments: StoreInTest.allCases)
    func refuse(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.change(ActivityChange(end: .standard))
            let order = ActivityOrder(activity: ActivitySamples.lesson, change: try ActivitySamples.patch(#"{"n":1}"#))
            let results = try await store.change([order], of: StoreSamples.app, now: StoreSamples.after(1)) { results in
                guard case .changed(let receipt)? = results.first, let id = receipt.notification else { return nil }
                return StoreSamples.record("a", of: id, createdAt: StoreSamples.now)
            }
            #expect(results == [.refused(.over)], "what became of it")
            #expect(try await store.idempotencyRecord(StoreSamples.slot("a")) == nil, "the answer")
        }
    }

    @Test("starts and invitations keep their answers, and happen once", arguments: StoreInTest.allCases)
    func startAndInvite(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in [1, 2] { _ = try await store.keep(ActivitySamples.startToken(number, token: 10 + number)) }
            let note: AnswerNote<ActivityReceipt> = { receipt in
                receipt.notification.map { StoreSamples.record("a", of: $0, createdAt: StoreSamples.now) }
            }
            let started = try await store.createActivity(
                ActivitySamples.activity(),
                inviting: [ActivitySamples.phone(1)],
                rollingOut: nil,
                planning: [],
                now: StoreSamples.now,
                noting: note
            )
            let first = try await store.idempotencyRecord(StoreSamples.slot("a"))
            #expect(first?.notification == started.notification, "what the answer to the start is about")
            try await expectError(.conflict, "an invitation under a key that was used") {
                _ = try await store.invite(
                    [ActivitySamples.phone(2)],
                    rollingOut: nil,
                    to: ActivitySamples.lesson,
                    of: StoreSamples.app,
                    now: StoreSamples.now,
                    noting: note
                )
            }
            let phoneCount = try await store.phones().count
            #expect(phoneCount == 1, "how many phones take part")
            let invited = try await store.invite(
                [ActivitySamples.phone(2)],
                rollingOut: nil,
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            ) { receipt in
                receipt.notification.map { StoreSamples.record("b", of: $0, createdAt: StoreSamples.now) }
            }
            #expect(invited?.sent == 1, "how many are invited under another key")
            let second = try await store.idempotencyRecord(StoreSamples.slot("b"))
            #expect(second?.notification == invited?.notification, "what the answer to the invitation is about")
        }
    }
}
