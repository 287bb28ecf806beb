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

@Suite("Stores: activity answers", .timeLimit(.minutes(20)))
struct ActivityAnswerTests {
    @Test(
        "the answer to a change of activities is kept with it, and the change is carried out once",
        arguments: TestStoreBackend.allCases
    )
    func change(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            let order = ActivityUpdate(
                activity: ActivityFixtures.lesson,
                change: try ActivityFixtures.patch(#"{"n":1}"#)
            )
            let note: IdempotencyRecordBuilder<[ActivityUpdateOutcome]> = { results in
                guard case .changed(let receipt)? = results.first else { return nil }
                let id = receipt.notification ?? NotificationID(now: StoreFixtures.now)
                return StoreFixtures.record("a", of: id, createdAt: StoreFixtures.now)
            }
            let results = try await store.change([order], of: StoreFixtures.app, now: StoreFixtures.now, noting: note)
            guard case .changed(let receipt)? = results.first else {
                Issue.record("the change came to \(results)")
                return
            }
            let record = try await store.idempotencyRecord(StoreFixtures.slot("a"))
            #expect(record?.notification == receipt.notification, "what the answer is about")
            try await expectError(.conflict, "the same once more") {
                _ = try await store.change([order], of: StoreFixtures.app, now: StoreFixtures.after(1), noting: note)
            }
            let lifecycleVersion = try await store.lesson().lifecycle.version
            #expect(lifecycleVersion == 2, "the version")
            let kinds = try await store.story().map(\.kind)
            #expect(kinds == [.registered, .tokenReceived, .updated], "the timeline")
        }
    }

    @Test("a change that is refused keeps no answer", arguments: TestStoreBackend.allCases)
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.change(ActivityChange(end: .standard))
            let order = ActivityUpdate(
                activity: ActivityFixtures.lesson,
                change: try ActivityFixtures.patch(#"{"n":1}"#)
            )
            let results = try await store.change([order], of: StoreFixtures.app, now: StoreFixtures.after(1)) {
                results in
                guard case .changed(let receipt)? = results.first, let id = receipt.notification else { return nil }
                return StoreFixtures.record("a", of: id, createdAt: StoreFixtures.now)
            }
            #expect(results == [.refused(.over)], "what became of it")
            #expect(try await store.idempotencyRecord(StoreFixtures.slot("a")) == nil, "the answer")
        }
    }

    @Test("creations and starts keep their responses, and happen once", arguments: TestStoreBackend.allCases)
    func startOnMoreDevices(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in [1, 2] { _ = try await store.keep(ActivityFixtures.startToken(number, token: 10 + number)) }
            let note: IdempotencyRecordBuilder<ActivityUpdateResult> = { receipt in
                receipt.notification.map { StoreFixtures.record("a", of: $0, createdAt: StoreFixtures.now) }
            }
            let started = try await store.createActivity(
                ActivityFixtures.activity(),
                startingOn: [ActivityFixtures.phone(1)],
                rollingOut: nil,
                planning: [],
                now: StoreFixtures.now,
                noting: note
            )
            let first = try await store.idempotencyRecord(StoreFixtures.slot("a"))
            #expect(first?.notification == started.notification, "what the answer to the start is about")
            try await expectError(.conflict, "a start under a key that was used") {
                _ = try await store.start(
                    on: [ActivityFixtures.phone(2)],
                    rollingOut: nil,
                    activity: ActivityFixtures.lesson,
                    of: StoreFixtures.app,
                    now: StoreFixtures.now,
                    noting: note
                )
            }
            let phoneCount = try await store.phones().count
            #expect(phoneCount == 1, "how many phones take part")
            let other = try await store.start(
                on: [ActivityFixtures.phone(2)],
                rollingOut: nil,
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.now
            ) { receipt in
                receipt.notification.map { StoreFixtures.record("b", of: $0, createdAt: StoreFixtures.now) }
            }
            #expect(other?.sent == 1, "how many are started under another key")
            let second = try await store.idempotencyRecord(StoreFixtures.slot("b"))
            #expect(second?.notification == other?.notification, "what the response to the start is about")
        }
    }
}
