// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: event contents", .timeLimit(.minutes(20)))
struct EventContentTests {
    @Test(
        "what is accepted and settled stands in the feed, with what the targets came to",
        arguments: TestStoreBackend.allCases
    )
    func acceptedAndSettled(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 4)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreFixtures.rejection(.badDeviceToken)),
                .init(index: 1, outcome: .failed(.timeout)),
            ]
            try await store.settle(
                Settlement(of: claimed, range: 0..<2, failures: failures),
                now: StoreFixtures.after(1)
            )
            let last = Settlement(of: claimed, range: 2..<4, failures: [])
            try await store.settle(last, now: StoreFixtures.after(2))
            try await store.settle(last, now: StoreFixtures.after(3))
            let events = try await store.allEvents()
            try #require(events.map(\.kind) == [.notificationAccepted, .notificationCompleted], "the kinds")
            let id = JSONValue.string(plan.notification.id.description)
            #expect(events[0].data == ["notification": id, "targets": 4, "batches": 1], "the accepted event")
            #expect(events[0].time == StoreFixtures.now, "the time of the accepted event")
            let settled: JSONValue = [
                "notification": id, "targets": 4, "delivered": 2, "rejected": ["BadDeviceToken": 1],
                "failed": ["timeout": 1],
            ]
            #expect(events[1].data == settled, "the settled event")
            #expect(events[1].time == StoreFixtures.after(2), "the time of the settled event")
        }
    }

    @Test(
        "whatever settles a notification stands in the feed: cancelling, closing, expiring",
        arguments: TestStoreBackend.allCases
    )
    func settledOtherwise(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let cancelled = try StoreFixtures.plan()
            let closed = try StoreFixtures.plan(now: StoreFixtures.after(1))
            let expired = try StoreFixtures.plan(expiresAt: StoreFixtures.after(5), now: StoreFixtures.after(2))
            for plan in [cancelled, closed, expired] { try await store.accept(plan) }
            try await store.cancel(cancelled.notification.id, now: StoreFixtures.after(3))
            try await store.cancel(cancelled.notification.id, now: StoreFixtures.after(3))
            let claimed = try #require(try await store.claim(limit: 1, now: StoreFixtures.after(3)).first, "the batch")
            try await store.close(
                claimed.batch.id,
                worker: claimed.worker,
                as: .storeError,
                now: StoreFixtures.after(4)
            )
            _ = try await store.claim(now: StoreFixtures.after(6))
            let events = try await store.allEvents(kinds: [.notificationCompleted])
            #expect(
                events.map { $0.data["failed"] } == [["cancelled": 1], ["store_error": 1], ["expired": 1]],
                "what the targets came to"
            )
            #expect(events.map(\.time) == [3, 4, 6].map { StoreFixtures.after($0) }, "the times")
        }
    }

    @Test(
        "a device that becomes invalid or suspect stands in the feed, without its token",
        arguments: TestStoreBackend.allCases
    )
    func devices(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<3 {
                let name = DeviceID(unchecked: "phone \(number)")
                try await store.register(StoreFixtures.registration(name, token: number), now: StoreFixtures.now)
            }
            try await store.accept(StoreFixtures.plan(targets: 4))
            let claimed = try #require(try await store.claim().first, "the batch")
            let time = StoreFixtures.milliseconds(after: 1)
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreFixtures.rejection(.unregistered, inactiveSince: time)),
                .init(index: 1, outcome: StoreFixtures.rejection(.badDeviceToken)),
                .init(index: 2, outcome: StoreFixtures.rejection(.unregistered, inactiveSince: time - 1001)),
                .init(index: 3, outcome: StoreFixtures.rejection(.unregistered, inactiveSince: time)),
            ]
            try await store.settle(
                Settlement(of: claimed, range: 0..<4, failures: failures),
                now: StoreFixtures.after(2)
            )
            let events = try await store.allEvents(kinds: [.deviceInvalidated, .deviceSuspected])
            #expect(events.map(\.kind) == [.deviceSuspected, .deviceInvalidated], "the kinds")
            #expect(
                events.map(\.data) == [
                    [
                        "device": "phone 1", "environment": "production", "reason": "BadDeviceToken",
                        "since": "2026-01-01T00:00:02.000Z",
                    ],
                    [
                        "device": "phone 0", "environment": "production", "reason": "Unregistered",
                        "since": "2026-01-01T00:00:01.000Z",
                    ],
                ],
                "the data"
            )
        }
    }

    @Test("what is refused appends nothing", arguments: TestStoreBackend.allCases)
    func refused(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 2)
            try await store.accept(plan)
            try await expectError(.conflict, "the same notification again") { try await store.accept(plan) }
            let stranger = Settlement(batch: plan.batches[0].id, worker: StoreFixtures.otherWorker, range: 0..<2)
            try await expectError(.leaseLost, "a stranger's settlement") {
                try await store.settle(stranger, now: StoreFixtures.now)
            }
            let kinds = try await store.allEvents().map(\.kind)
            #expect(kinds == [.notificationAccepted], "the events")
        }
    }

    @Test(
        "a credential's trouble is told once when it begins and once when it ends",
        arguments: TestStoreBackend.allCases
    )
    func credentialTrouble(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let subject = CredentialFailure.Subject(app: StoreFixtures.app, environment: .sandbox, pushType: .alert)
            var other = subject
            other.pushType = .background
            let trouble = CredentialFailure(subject: subject, cause: .rejected(.invalidProviderToken))
            let later = CredentialFailure(subject: subject, cause: .failed(.noCredential))
            let background = CredentialFailure(subject: other, cause: .failed(.noCredential))
            var news: [Bool] = []
            news.append(try await store.credentialRecovered(subject, now: StoreFixtures.now))
            news.append(try await store.credentialFailed(trouble, now: StoreFixtures.now))
            news.append(try await store.credentialFailed(later, now: StoreFixtures.after(1)))
            news.append(try await store.credentialFailed(background, now: StoreFixtures.after(2)))
            news.append(try await store.credentialRecovered(subject, now: StoreFixtures.after(3)))
            news.append(try await store.credentialRecovered(subject, now: StoreFixtures.after(4)))
            news.append(try await store.credentialFailed(later, now: StoreFixtures.after(5)))
            #expect(news == [false, true, false, true, true, false, true], "what is news")
            let events = try await store.allEvents()
            #expect(
                events.map(\.kind) == [
                    .credentialFailed, .credentialFailed, .credentialRecovered, .credentialFailed,
                ],
                "the kinds"
            )
            let told: [JSONValue] = [
                ["environment": "sandbox", "pushType": "alert", "reason": "InvalidProviderToken"],
                ["environment": "sandbox", "pushType": "background", "code": "no_credential"],
                [
                    "environment": "sandbox", "pushType": "alert", "reason": "InvalidProviderToken",
                    "since": "2026-01-01T00:00:00.000Z",
                ],
                ["environment": "sandbox", "pushType": "alert", "code": "no_credential"],
            ]
            #expect(events.map(\.data) == told, "the data")
            let nobody = CredentialFailure.Subject(app: StoreFixtures.otherApp, environment: .sandbox, pushType: .alert)
            try await expectError(.notFound, "the trouble of no app") {
                let trouble = CredentialFailure(subject: nobody, cause: .failed(.noCredential))
                return try await store.credentialFailed(trouble, now: StoreFixtures.now)
            }
        }
    }
}
