// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: event contents", .timeLimit(.minutes(5)))
struct EventContentTests {
    @Test(
        "what is accepted and settled stands in the feed, with what the targets came to",
        arguments: StoreInTest.allCases
    )
    func acceptedAndSettled(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 4)
            try await store.accept(plan)
            let claimed = try #require(try await store.claim().first, "the batch")
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreSamples.rejection(.badDeviceToken)),
                .init(index: 1, outcome: .failed(.deadline)),
            ]
            try await store.settle(
                Settlement(of: claimed, range: 0..<2, failures: failures),
                now: StoreSamples.after(1)
            )
            let last = Settlement(of: claimed, range: 2..<4, failures: [])
            try await store.settle(last, now: StoreSamples.after(2))
            try await store.settle(last, now: StoreSamples.after(3))
            let events = try await store.allEvents()
            try #require(events.map(\.kind) == [.notificationAccepted, .notificationSettled], "the kinds")
            let id = JSONValue.string(plan.notification.id.description)
            #expect(events[0].data == ["notification": id, "targets": 4, "batches": 1], "the accepted event")
            #expect(events[0].time == StoreSamples.now, "the time of the accepted event")
            let settled: JSONValue = [
                "notification": id, "targets": 4, "delivered": 2, "rejected": ["BadDeviceToken": 1],
                "failed": ["deadline": 1],
            ]
            #expect(events[1].data == settled, "the settled event")
            #expect(events[1].time == StoreSamples.after(2), "the time of the settled event")
        }
    }

    @Test(
        "whatever settles a notification stands in the feed: cancelling, closing, expiring",
        arguments: StoreInTest.allCases
    )
    func settledOtherwise(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let cancelled = try StoreSamples.plan()
            let closed = try StoreSamples.plan(now: StoreSamples.after(1))
            let expired = try StoreSamples.plan(expiresAt: StoreSamples.after(5), now: StoreSamples.after(2))
            for plan in [cancelled, closed, expired] { try await store.accept(plan) }
            try await store.cancel(cancelled.notification.id, now: StoreSamples.after(3))
            try await store.cancel(cancelled.notification.id, now: StoreSamples.after(3))
            let claimed = try #require(try await store.claim(limit: 1, now: StoreSamples.after(3)).first, "the batch")
            try await store.close(claimed.batch.id, worker: claimed.worker, as: .store, now: StoreSamples.after(4))
            _ = try await store.claim(now: StoreSamples.after(6))
            let events = try await store.allEvents(kinds: [.notificationSettled])
            #expect(
                events.map { $0.data["failed"] } == [["cancelled": 1], ["store": 1], ["expired": 1]],
                "what the targets came to"
            )
            #expect(events.map(\.time) == [3, 4, 6].map { StoreSamples.after($0) }, "the times")
        }
    }

    @Test(
        "a device that becomes invalid or suspect stands in the feed, without its token",
        arguments: StoreInTest.allCases
    )
    func devices(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<3 {
                let name = InstallationID(unchecked: "phone \(number)")
                try await store.register(StoreSamples.registration(name, token: number), now: StoreSamples.now)
            }
            try await store.accept(StoreSamples.plan(targets: 4))
            let claimed = try #require(try await store.claim().first, "the batch")
            let time = StoreSamples.milliseconds(after: 1)
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreSamples.rejection(.unregistered, inactiveSince: time)),
                .init(index: 1, outcome: StoreSamples.rejection(.badDeviceToken)),
                .init(index: 2, outcome: StoreSamples.rejection(.unregistered, inactiveSince: time - 1001)),
                .init(index: 3, outcome: StoreSamples.rejection(.unregistered, inactiveSince: time)),
            ]
            try await store.settle(
                Settlement(of: claimed, range: 0..<4, failures: failures),
                now: StoreSamples.after(2)
            )
            let events = try await store.allEvents(kinds: [.deviceInvalidated, .deviceSuspected])
            #expect(events.map(\.kind) == [.deviceInvalidated, .deviceSuspected], "the kinds")
            #expect(
                events.map(\.data) == [
                    [
                        "installation": "phone 0", "environment": "production", "reason": "Unregistered",
                        "since": "2026-01-01T00:00:01.000Z",
                    ],
                    [
                        "installation": "phone 1", "environment": "production", "reason": "BadDeviceToken",
                        "since": "2026-01-01T00:00:02.000Z",
                    ],
                ],
                "the data"
            )
        }
    }

    @Test("what is refused appends nothing", arguments: StoreInTest.allCases)
    func refused(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreSamples.plan(targets: 2)
            try await store.accept(plan)
            try await expectError(.conflict, "the same notification again") { try await store.accept(plan) }
            let stranger = Settlement(batch: plan.batches[0].id, worker: StoreSamples.otherWorker, range: 0..<2)
            try await expectError(.leaseLost, "a stranger's settlement") {
                try await store.settle(stranger, now: StoreSamples.now)
            }
            let kinds = try await store.allEvents().map(\.kind)
            #expect(kinds == [.notificationAccepted], "the events")
        }
    }

    @Test("a credential's trouble is told once when it begins and once when it ends", arguments: StoreInTest.allCases)
    func credentialTrouble(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let subject = CredentialTrouble.Subject(app: StoreSamples.app, environment: .sandbox, pushType: .alert)
            var other = subject
            other.pushType = .background
            let trouble = CredentialTrouble(subject: subject, cause: .rejected(.invalidProviderToken))
            let later = CredentialTrouble(subject: subject, cause: .failed(.noCredential))
            let background = CredentialTrouble(subject: other, cause: .failed(.noCredential))
            var news: [Bool] = []
            news.append(try await store.credentialRecovered(subject, now: StoreSamples.now))
            news.append(try await store.credentialTroubled(trouble, now: StoreSamples.now))
            news.append(try await store.credentialTroubled(later, now: StoreSamples.after(1)))
            news.append(try await store.credentialTroubled(background, now: StoreSamples.after(2)))
            news.append(try await store.credentialRecovered(subject, now: StoreSamples.after(3)))
            news.append(try await store.credentialRecovered(subject, now: StoreSamples.after(4)))
            news.append(try await store.credentialTroubled(later, now: StoreSamples.after(5)))
            #expect(news == [false, true, false, true, true, false, true], "what is news")
            let events = try await store.allEvents()
            #expect(
                events.map(\.kind) == [
                    .credentialTroubled, .credentialTroubled, .credentialRecovered, .credentialTroubled,
                ],
                "the kinds"
            )
            let told: [JSONValue] = [
                ["environment": "sandbox", "pushType": "alert", "reason": "InvalidProviderToken"],
                ["environment": "sandbox", "pushType": "background", "code": "no-credential"],
                [
                    "environment": "sandbox", "pushType": "alert", "reason": "InvalidProviderToken",
                    "since": "2026-01-01T00:00:00.000Z",
                ],
                ["environment": "sandbox", "pushType": "alert", "code": "no-credential"],
            ]
            #expect(events.map(\.data) == told, "the data")
            let nobody = CredentialTrouble.Subject(app: StoreSamples.otherApp, environment: .sandbox, pushType: .alert)
            try await expectError(.notFound, "the trouble of no app") {
                let trouble = CredentialTrouble(subject: nobody, cause: .failed(.noCredential))
                return try await store.credentialTroubled(trouble, now: StoreSamples.now)
            }
        }
    }
}
