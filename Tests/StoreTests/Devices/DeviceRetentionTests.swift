// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: retention of devices", .timeLimit(.minutes(20)))
struct DeviceRetentionTests {
    @Test(
        "devices that did not register since a time are removed with their tokens and subscriptions",
        arguments: TestStoreBackend.allCases
    )
    func inactive(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            for (id, token, seconds) in [("phone 1", 1, 0.0), ("phone 2", 2, 100), ("phone 3", 3, 0)] {
                let registration = try StoreFixtures.registration(DeviceID(unchecked: id), token: token)
                try await store.register(registration, now: StoreFixtures.after(seconds))
            }
            let other = try StoreFixtures.registration("phone 1", token: 4, app: StoreFixtures.otherApp)
            try await store.register(other, now: StoreFixtures.now)
            _ = try await store.createTopic(
                TopicFixtures.topic,
                attributes: [:],
                tags: [:],
                for: StoreFixtures.app,
                sharing: false,
                now: StoreFixtures.now,
                checking: nil
            )
            let subscription = TopicFixtures.subscription(.device(StoreFixtures.app, "phone 1"))
            _ = try await store.subscribe(subscription, policyLimit: 10, urlLimit: 10)
            for number in 1...2 { try await store.keep(ActivityFixtures.startToken(number, token: 10 + number)) }

            let none = try await store.pruneDevices(DeviceRetention(), after: nil)
            #expect(none == PrunedPart(count: 0, next: nil), "without a rule")
            let rule = DeviceRetention(inactiveSince: StoreFixtures.after(50))
            #expect(try await store.pruneDevices(rule, after: nil).count == 3, "the removed devices")
            #expect(try await store.pruneDevices(rule, after: nil).count == 0, "a second pass")
            let left = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 10).elements
            #expect(left.map(\.installation) == ["phone 2"], "the devices that are left")
            #expect(try await store.device("phone 1", of: StoreFixtures.otherApp) == nil, "one of another app")
            #expect(try await store.subscription(subscription.id) == nil, "its subscription")
            let tokens = try await store.pushToStartTokens(
                of: ActivityFixtures.type,
                app: StoreFixtures.app,
                installations: ["phone 1", "phone 2"]
            )
            #expect(Set(tokens.keys) == ["phone 2"], "the push-to-start tokens")
        }
    }

    @Test("invalid devices are removed by the time of their status", arguments: TestStoreBackend.allCases)
    func invalid(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 1...2 {
                try await store.register(StoreFixtures.registration(number), now: StoreFixtures.now)
            }
            let since = StoreFixtures.milliseconds(after: 5)
            _ = try await DeviceStateTests.settleOne(
                of: store,
                target: StoreFixtures.target(1),
                outcome: StoreFixtures.rejection(.unregistered, inactiveSince: since)
            )
            let early = DeviceRetention(invalidSince: StoreFixtures.after(5))
            #expect(try await store.pruneDevices(early, after: nil).count == 0, "at the time of its status")
            let late = DeviceRetention(invalidSince: StoreFixtures.after(6))
            #expect(try await store.pruneDevices(late, after: nil).count == 1, "after it")
            #expect(try await store.device("device 1", of: StoreFixtures.app) == nil, "the invalid device")
            #expect(try await store.device("device 2", of: StoreFixtures.app) != nil, "the active device")
        }
    }

    @Test("a pass reads all devices part by part", arguments: TestStoreBackend.allCases)
    func parts(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let registrations = try (0..<2500).map { try StoreFixtures.registration($0) }
            try await store.register(registrations, now: StoreFixtures.now)
            let rule = DeviceRetention(inactiveSince: StoreFixtures.after(1))
            var counts: [Int] = []
            var position: DevicePosition?
            repeat {
                let part = try await store.pruneDevices(rule, after: position)
                counts.append(part.count)
                position = part.next
            } while position != nil
            #expect(counts == [1000, 1000, 500], "the devices of each call")
        }
    }

    @Test(
        "push-to-start tokens without a device are removed some time after they were issued",
        arguments: TestStoreBackend.allCases
    )
    func orphans(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register(StoreFixtures.registration("phone 1", token: 1), now: StoreFixtures.now)
            for number in 1...2 { try await store.keep(ActivityFixtures.startToken(number, token: 10 + number)) }
            let early = try await store.pruneStartTokens(issuedBefore: StoreFixtures.now, after: nil)
            #expect(early == PrunedPart(count: 0, next: nil), "the tokens that were issued just now")
            let late = try await store.pruneStartTokens(issuedBefore: StoreFixtures.after(1), after: nil)
            #expect(late == PrunedPart(count: 1, next: nil), "the orphan")
            let tokens = try await store.pushToStartTokens(
                of: ActivityFixtures.type,
                app: StoreFixtures.app,
                installations: ["phone 1", "phone 2"]
            )
            #expect(Set(tokens.keys) == ["phone 1"], "the token that is left")
        }
    }
}
