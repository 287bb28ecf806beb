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

@Suite("Stores: late registration", .timeLimit(.minutes(20)))
struct LateRegistrationTests {
    @Test(
        "a registration that is told later keeps its time, and a 410 behind that time makes it invalid",
        arguments: TestStoreBackend.allCases
    )
    func keepTime(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let stored = try await store.register([try Self.late("phone", token: 0, at: -60)], now: StoreFixtures.now)
            #expect(stored == 1, "how many were stored")
            let device = try #require(try await store.device("phone", of: StoreFixtures.app), "the device")
            #expect(device.registeredAt == StoreFixtures.after(-60), "registeredAt")
            #expect(device.seenAt == StoreFixtures.after(-60), "seenAt")
            #expect(device.createdAt == StoreFixtures.now, "createdAt")
            #expect(device.status == .active, "the status")
        }
    }

    @Test(
        "a registration that is told later gives way to a younger one of the installation or of the token",
        arguments: TestStoreBackend.allCases
    )
    func giveWay(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let young = try StoreFixtures.registration("young", token: 1, profile: DeviceProfile(userID: "young"))
            try await store.register(young, now: StoreFixtures.now)
            let old = try StoreFixtures.registration("old", token: 2)
            try await store.register(old, now: StoreFixtures.after(-100))
            let stored = try await store.register(
                [
                    try Self.late("young", token: 3, at: -1), try Self.late("thief", token: 1, at: -1),
                    try Self.late("young", token: 1, at: -1), try Self.late("old", token: 4, at: -50),
                    try Self.late("new", token: 2, at: -50),
                ],
                now: StoreFixtures.after(10)
            )
            #expect(stored == 2, "how many were stored")
            let kept = try #require(try await store.device("young", of: StoreFixtures.app), "the younger device")
            #expect(kept.profile.userID == "young", "its user")
            #expect(kept.token == young.token, "its token")
            #expect(try await store.device("thief", of: StoreFixtures.app) == nil, "the other holder of its token")
            let moved = try await store.device("old", of: StoreFixtures.app)
            let expected = try StoreFixtures.token(4)
            #expect(moved?.token == expected, "the token of the older device")
            #expect(moved?.createdAt == StoreFixtures.after(-100), "its first registration")
            let new = try await store.device("new", of: StoreFixtures.app)
            let freeToken = try StoreFixtures.token(2)
            #expect(new?.token == freeToken, "the token that is free since")
        }
    }

    @Test(
        "a registration that is told later takes the place of one of the same time",
        arguments: TestStoreBackend.allCases
    )
    func sameTime(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register([try Self.late("phone", token: 1, at: -5)], now: StoreFixtures.now)
            let stored = try await store.register(
                [try Self.late("phone", token: 2, at: -5)],
                now: StoreFixtures.after(1)
            )
            #expect(stored == 1, "how many were stored")
            let device = try await store.device("phone", of: StoreFixtures.app)
            let expected = try StoreFixtures.token(2)
            #expect(device?.token == expected, "the token")
        }
    }

    @Test(
        "of copies from a place that tells no times the last counts, before all that apps say themselves",
        arguments: TestStoreBackend.allCases
    )
    func copiesWithoutTime(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let copies = [try Self.copy("phone", token: 1, at: 900), try Self.copy("phone", token: 2, at: 7)]
            for copy in copies {
                let registered = try await store.register([copy], now: StoreFixtures.now)
                #expect(registered == 1, "how many were stored")
            }
            let stored = try await store.register(
                [try Self.copy("heir", token: 2, at: 3), try Self.copy("phone", token: 4, at: 2)],
                now: StoreFixtures.now
            )
            #expect(stored == 2, "how many were stored")
            let heir = try await store.device("heir", of: StoreFixtures.app)
            #expect(heir?.registeredAt == Date(millisecondsSince1970: 3), "registeredAt")
            try await store.register(try StoreFixtures.registration("heir", token: 5), now: StoreFixtures.now)
            let late = try await store.register([try Self.copy("heir", token: 6, at: 9)], now: StoreFixtures.now)
            #expect(late == 0, "how many were stored behind the app's own word")
        }
    }

    private static func copy(
        _ installation: DeviceID,
        token number: Int,
        at milliseconds: Int64
    ) throws -> DeviceRegistration {
        var registration = try StoreFixtures.registration(installation, token: number)
        registration.registeredAt = Date(millisecondsSince1970: milliseconds)
        return registration
    }

    private static func late(
        _ installation: DeviceID,
        token number: Int,
        at seconds: Double
    ) throws -> DeviceRegistration {
        var registration = try StoreFixtures.registration(installation, token: number)
        registration.registeredAt = StoreFixtures.after(seconds)
        return registration
    }
}
