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

@Suite("Stores: activity starts", .timeLimit(.minutes(20)))
struct ActivityStartTests {
    @Test(
        "phones that tell of an activity at the same time make it once, and all take part",
        arguments: TestStoreBackend.allCases
    )
    func createAtOnce(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let draft = try ActivityFixtures.activity()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let receipt = try await store.receive(
                            ActivityFixtures.upload(number),
                            for: draft.id,
                            of: StoreFixtures.app,
                            creating: draft,
                            now: StoreFixtures.now
                        )
                        #expect(receipt?.state == .active, "the activity of phone \(number)")
                    }
                }
                try await group.waitForAll()
            }
            let phoneCount = try await store.phones().count
            #expect(phoneCount == 12, "how many phones take part")
            let registered = try await store.story().count { $0.kind == .registered }
            #expect(registered == 1, "how often it was registered")
        }
    }

    @Test(
        "a phone on which the start came to nothing, or that is gone, can be started on again",
        arguments: TestStoreBackend.allCases
    )
    func startAgain(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 1...3 { _ = try await store.keep(ActivityFixtures.startToken(number, token: 10 + number)) }
            let phones = (1...3).map { ActivityFixtures.phone($0) }
            _ = try await store.createActivity(ActivityFixtures.activity(), startingOn: phones, now: StoreFixtures.now)
            let failures: [Settlement.Failure] = [
                .init(index: 0, outcome: StoreFixtures.rejection(.unregistered)),
                .init(index: 1, outcome: .failed(.connectionLost)),
            ]
            try await store.settleAll(try await store.claimOne(), failures: failures)
            _ = try await store.keep(ActivityFixtures.startToken(1, token: 21, issued: 9))
            let receipt = try await store.start(
                on: phones,
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.after(10)
            )
            #expect(receipt?.sent == 2, "how many are started on again")
            let second = try await store.claimOne(now: StoreFixtures.after(10))
            let targets = try [21, 12].map { try StoreFixtures.target($0) }
            #expect(Array(second.batch.targets) == targets, "where")
            try await store.settleAll(second, now: StoreFixtures.after(10))
            let states = try await store.phones().map(\.state)
            #expect(states == [.starting, .starting, .starting], "the phones")
        }
    }

    @Test(
        "a phone that starts an activity anew is brought up to date, however much it was sent before",
        arguments: TestStoreBackend.allCases
    )
    func catchUp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.tell(ActivityFixtures.upload(2), now: StoreFixtures.after(3600))
            _ = try await store.change(ActivityFixtures.state(#"{"n":2}"#), now: StoreFixtures.after(3600))
            try await store.settleAll(try await store.claimOne(now: StoreFixtures.after(3600)))
            // Its 8 hours are over, which the next change finds out.
            _ = try await store.change(ActivityChange(relevanceScore: 1), now: StoreFixtures.after(8 * 3600))
            try await store.settleAll(try await store.claimOne(now: StoreFixtures.after(8 * 3600)))
            let phoneState = try await store.phones()[0].state
            #expect(phoneState == .ended(reason: "expired"), "the phone")
            _ = try await store.tell(ActivityFixtures.upload(1, token: 5), now: StoreFixtures.after(8 * 3600 + 10))
            let claimed = try await store.claimOne(now: StoreFixtures.after(8 * 3600 + 10))
            let expected = [try StoreFixtures.target(5)]
            #expect(Array(claimed.batch.targets) == expected, "who is sent to")
            #expect(ActivityFixtures.payloads(claimed)[0].contains(#"{"n":2}"#), "the newest state is not sent")
        }
    }

    @Test("a phone whose clock is ahead can tell another token", arguments: TestStoreBackend.allCases)
    func clockAhead(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [])
            _ = try await store.tell(ActivityFixtures.upload(1, token: 1, issued: 86_400), now: StoreFixtures.after(1))
            _ = try await store.tell(ActivityFixtures.upload(1, token: 2, issued: 5), now: StoreFixtures.after(5))
            _ = try await store.change(ActivityFixtures.state("{}"), now: StoreFixtures.after(6))
            let claimed = try await store.claimOne(now: StoreFixtures.after(6))
            let expected = [try StoreFixtures.target(2)]
            #expect(Array(claimed.batch.targets) == expected, "the target")
        }
    }
}
