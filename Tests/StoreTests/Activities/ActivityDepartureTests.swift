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

@Suite("Stores: activity departures", .timeLimit(.minutes(20)))
struct ActivityDepartureTests {
    @Test(
        "a phone whose app tells that it shows an activity no more is gone, and the others go on",
        arguments: TestStoreBackend.allCases
    )
    func leave(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            let first = ActivityEndReport(installation: ActivityFixtures.phone(1), reason: .dismissed)
            let isGone = try await store.leave(first)
            #expect(isGone, "the phone does not leave")
            let states = try await store.phones().map(\.state)
            #expect(states == [.ended(reason: "dismissed"), .active], "the phones")
            let again = try await store.leave(ActivityEndReport(installation: first.installation, reason: .ended))
            #expect(!again, "the phone leaves twice")
            let story = try await store.story()
            #expect(story.last?.kind == .participantEnded, "the last entry")
            #expect(story.last?.installation == first.installation, "its phone")
            #expect(story.last?.detail == "dismissed", "its reason")
            let told = try await store.allEvents(kinds: [.activityParticipantEnded])
            #expect(told.map { $0.data["reason"] } == [.string("dismissed")], "what the feed tells")
            let change = try await store.change(ActivityFixtures.state(#"{"n":2}"#))
            #expect([change.sent, change.pending] == [1, 0], "what is sent then")
            // Its app starts the activity anew.
            let receipt = try await store.tell(ActivityFixtures.upload(1, token: 7), now: StoreFixtures.after(9))
            #expect(receipt?.sent == 1, "what is sent to it when it is back")
            let statesAtEnd = try await store.phones().map(\.state)
            #expect(statesAtEnd == [.active, .active], "the phones at the end")
        }
    }

    @Test(
        "what is told late of a phone that left does not undo a younger token, nor an old token its leaving",
        arguments: TestStoreBackend.allCases
    )
    func leaveLate(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [])
            _ = try await store.tell(ActivityFixtures.upload(1, issued: 10), now: StoreFixtures.after(10))
            let phone = ActivityFixtures.phone(1)
            let late = ActivityEndReport(installation: phone, reason: .ended, time: StoreFixtures.after(5))
            let isGone = try await store.leave(late, now: StoreFixtures.after(11))
            #expect(!isGone, "a late word ends a younger one")
            let next = ActivityEndReport(installation: phone, reason: .ended, time: StoreFixtures.after(20))
            let isGoneThen = try await store.leave(next, now: StoreFixtures.after(21))
            #expect(isGoneThen, "the phone does not leave")
            _ = try await store.tell(ActivityFixtures.upload(1, token: 8, issued: 15), now: StoreFixtures.after(22))
            let phones = try await store.phones()
            #expect(phones.map(\.state) == [.ended(reason: "ended")], "the phone by an old token")
        }
    }

    @Test(
        "nothing is told of a phone that takes no part, nor of an activity that is over or unknown",
        arguments: TestStoreBackend.allCases
    )
    func ignore(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            let stranger = ActivityEndReport(installation: ActivityFixtures.phone(9), reason: .ended)
            #expect(try await !store.leave(stranger), "a stranger leaves")
            let phone = ActivityEndReport(installation: ActivityFixtures.phone(1), reason: .ended)
            let unknown = try await store.leave(phone, from: "unknown", of: StoreFixtures.app, now: StoreFixtures.now)
            #expect(!unknown, "a phone leaves an unknown activity")
            _ = try await store.change(ActivityFixtures.patch("{}", end: .immediate))
            let count = try await store.story().count
            #expect(try await !store.leave(phone), "a phone leaves an activity that is over")
            let storyCount = try await store.story().count
            #expect(storyCount == count, "the entries")
            try await expectError(.notFound, "a phone of an unknown app") {
                let app = StoreFixtures.otherApp
                _ = try await store.leave(phone, from: ActivityFixtures.lesson, of: app, now: StoreFixtures.now)
            }
        }
    }
}
