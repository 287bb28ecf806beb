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

@Suite("Stores: activity tokens", .timeLimit(.minutes(20)))
struct ActivityTokenTests {
    @Test(
        "of the tokens that start activities the youngest counts, whenever it was told",
        arguments: TestStoreBackend.allCases
    )
    func youngestStartToken(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            #expect(try await store.keep(ActivityFixtures.startToken(1, token: 10, issued: 5)), "the first is refused")
            #expect(try await store.keep(ActivityFixtures.startToken(1, token: 11, issued: 9)), "the next is refused")
            #expect(try await !store.keep(ActivityFixtures.startToken(1, token: 12, issued: 7)), "an old one is kept")
            let found = try await store.pushToStartTokens(
                of: ActivityFixtures.type,
                app: StoreFixtures.app,
                installations: [ActivityFixtures.phone(1), ActivityFixtures.phone(2)]
            )
            let expected = try [ActivityFixtures.phone(1): ActivityFixtures.startToken(1, token: 11, issued: 9)]
            #expect(found == expected, "the tokens")
        }
    }

    @Test(
        "updates go to the youngest token, also when an older one is told later",
        arguments: TestStoreBackend.allCases
    )
    func youngestUpdateToken(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [])
            _ = try await store.tell(ActivityFixtures.upload(1, token: 1, issued: 1), now: StoreFixtures.after(1))
            _ = try await store.tell(ActivityFixtures.upload(1, token: 2, issued: 9), now: StoreFixtures.after(10))
            _ = try await store.tell(ActivityFixtures.upload(1, token: 1, issued: 5), now: StoreFixtures.after(11))
            _ = try await store.change(ActivityFixtures.state("{}"), now: StoreFixtures.after(12))
            let claimed = try await store.claimOne(now: StoreFixtures.after(12))
            let expected = [try StoreFixtures.target(2)]
            #expect(Array(claimed.batch.targets) == expected, "the target")
            let kinds = try await store.story().map(\.kind)
            #expect(kinds == [.registered, .tokenReceived, .tokenRotated, .updated], "the timeline")
        }
    }

    @Test(
        "a dead update token takes its phone out of the activity, and leaves the device alone",
        arguments: TestStoreBackend.allCases
    )
    func invalidUpdateToken(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.register(StoreFixtures.registration(1), now: StoreFixtures.now)
            _ = try await store.change(ActivityFixtures.state("{}"))
            let claimed = try await store.claimOne()
            try await store.settleAll(
                claimed,
                failures: [.init(index: 1, outcome: StoreFixtures.rejection(.unregistered))]
            )
            let states = try await store.phones().map(\.state)
            #expect(states == [.active, .ended(reason: "Unregistered")], "the phones")
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            let second = try await store.claimOne()
            let expected = [try StoreFixtures.target(1)]
            #expect(Array(second.batch.targets) == expected, "who is sent to from then on")
            let device = try await store.device("device 1", of: StoreFixtures.app)
            #expect(device?.status == .active, "the device")
        }
    }

    @Test(
        "what failed with a token that has rotated meanwhile is sent to the new one",
        arguments: TestStoreBackend.allCases
    )
    func rotatedToken(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            _ = try await store.tell(ActivityFixtures.upload(1, token: 5, issued: 3), now: StoreFixtures.after(3))
            let dead = StoreFixtures.rejection(.expiredToken, inactiveSince: StoreFixtures.milliseconds(after: 2))
            try await store.settleAll(claimed, failures: [.init(index: 0, outcome: dead)], now: StoreFixtures.after(4))
            let second = try await store.claimOne(now: StoreFixtures.after(4))
            let expected = [try StoreFixtures.target(5)]
            #expect(Array(second.batch.targets) == expected, "the target")
            let states = try await store.phones().map(\.state)
            #expect(states == [.active], "the phone")
        }
    }

    @Test(
        "a dead token that starts activities is forgotten, unless the phone has told another one",
        arguments: TestStoreBackend.allCases
    )
    func invalidStartToken(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in [1, 2] { _ = try await store.keep(ActivityFixtures.startToken(number, token: 10 + number)) }
            let phones = [1, 2].map { ActivityFixtures.phone($0) }
            _ = try await store.createActivity(ActivityFixtures.activity(), startingOn: phones, now: StoreFixtures.now)
            _ = try await store.keep(ActivityFixtures.startToken(2, token: 22, issued: 1))
            let dead = StoreFixtures.rejection(.unregistered)
            let failures = [0, 1].map { Settlement.Failure(index: $0, outcome: dead) }
            try await store.settleAll(try await store.claimOne(), failures: failures)
            let left = try await store.pushToStartTokens(
                of: ActivityFixtures.type,
                app: StoreFixtures.app,
                installations: phones
            )
            #expect(left.keys.sorted() == [ActivityFixtures.phone(2)], "the tokens that are left")
            let ended = ActivityParticipant.State.ended(reason: "Unregistered")
            let states = try await store.phones().map(\.state)
            #expect(states == [ended, ended], "the phones")
        }
    }

    @Test(
        "what failed in one environment is sent again when the app has told the other one for the token",
        arguments: TestStoreBackend.allCases
    )
    func otherEnvironment(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            let claimed = try await store.claimOne()
            let upload = UpdateTokenRegistration(
                installation: ActivityFixtures.phone(1),
                token: try StoreFixtures.token(1),
                environment: .sandbox,
                issuedAt: StoreFixtures.after(3)
            )
            _ = try await store.tell(upload, now: StoreFixtures.after(3))
            let bad = Settlement.Failure(index: 0, outcome: StoreFixtures.rejection(.badDeviceToken))
            try await store.settleAll(claimed, failures: [bad], now: StoreFixtures.after(4))
            let states = try await store.phones().map(\.state)
            #expect(states == [.active], "the phone")
            let second = try await store.claimOne(now: StoreFixtures.after(4))
            let target = Target(token: try StoreFixtures.token(1), environment: .sandbox)
            #expect(Array(second.batch.targets) == [target], "the target")
        }
    }
}
