// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: devices of users", .timeLimit(.minutes(20)))
struct UserDeviceTests {
    private static let limit = DeviceLimit.devicesOfUser

    private func registration(_ number: Int, user: UserID) throws -> DeviceRegistration {
        var registration = try StoreFixtures.registration(number)
        registration.profile.userID = user
        return registration
    }

    @Test(
        "a device beyond the limit takes the user from the one that registered longest ago",
        arguments: TestStoreBackend.allCases
    )
    func limit(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<Self.limit {
                try await store.register(
                    self.registration(number, user: "ann"),
                    now: StoreFixtures.after(Double(number))
                )
            }
            // The first device is now the latest, and the second one the oldest.
            let time = Double(Self.limit)
            try await store.register(self.registration(0, user: "ann"), now: StoreFixtures.after(time))
            try await store.register(self.registration(Self.limit, user: "ann"), now: StoreFixtures.after(time + 1))
            #expect(try await store.device("device 1", of: StoreFixtures.app)?.profile.userID == nil)
            let found = try await store.installations(of: StoreFixtures.app, users: ["ann"])
            #expect(found.count == Self.limit)
            #expect(!found.contains("device 1"))
            // It comes back with its next registration.
            try await store.register(self.registration(1, user: "ann"), now: StoreFixtures.after(time + 2))
            #expect(try await store.device("device 1", of: StoreFixtures.app)?.profile.userID == "ann")
            #expect(try await store.device("device 2", of: StoreFixtures.app)?.profile.userID == nil)
            // A device that changes its user counts for the new one.
            try await store.register(self.registration(200, user: "bob"), now: StoreFixtures.after(time + 3))
            try await store.register(self.registration(200, user: "ann"), now: StoreFixtures.after(time + 4))
            #expect(try await store.device("device 3", of: StoreFixtures.app)?.profile.userID == nil)
        }
    }

    @Test(
        "a device beyond the limit that a copy of the app registers takes the user from no other device",
        arguments: TestStoreBackend.allCases
    )
    func limitOfInstallations(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            func register(_ number: Int, user: UserID, time: Int) async throws {
                var registration = try self.registration(number, user: user)
                let secret = try InstallationSecretTests.secret("o")
                registration.access = .installation(secret, InstallationSecretPolicy())
                try await store.register(registration, now: StoreFixtures.after(Double(time)))
            }
            for number in 0..<Self.limit { try await register(number, user: "ann", time: number) }
            // A new device, and one that had another user.
            try await register(500, user: "ann", time: 500)
            try await register(501, user: "bob", time: 501)
            try await register(501, user: "ann", time: 502)
            for number in [500, 501] {
                let device = try await store.device(DeviceID(unchecked: "device \(number)"), of: StoreFixtures.app)
                #expect(device != nil && device?.profile.userID == nil)
            }
            let found = try await store.installations(of: StoreFixtures.app, users: ["ann"])
            #expect(Set(found) == Set((0..<Self.limit).map { DeviceID(unchecked: "device \($0)") }))
            // A device of the user registers again as before.
            try await register(0, user: "ann", time: 600)
            #expect(try await store.device("device 0", of: StoreFixtures.app)?.profile.userID == "ann")
        }
    }

    @Test("many devices that register at once stay within the limit", arguments: TestStoreBackend.allCases)
    func bulk(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let devices = try (0..<3 * Self.limit).map { number in
                try self.registration(number, user: number.isMultiple(of: 2) ? "a" : "b")
            }
            try await store.register(devices, now: StoreFixtures.now)
            for user in ["a", "b"] as [UserID] {
                #expect(try await store.installations(of: StoreFixtures.app, users: [user]).count == Self.limit)
            }
        }
    }

    @Test("each of many users is reached, also if others have very many devices", arguments: TestStoreBackend.allCases)
    func shares(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let many = try (0..<40).map { try self.registration($0, user: "many") }
            let few = try (40..<43).map { try self.registration($0, user: UserID(unchecked: "user \($0)")) }
            try await store.register(many + few, now: StoreFixtures.now)
            let users: [UserID] = ["many", "user 40", "user 41", "user 42", "unknown"]
            let all = try await store.devices(of: StoreFixtures.app, users: users, limit: 100)
            #expect(all.count == 43)
            #expect(all.map(\.installation) == (0..<43).map { DeviceID(unchecked: "device \($0)") })
            let some = try await store.devices(of: StoreFixtures.app, users: users, limit: 10)
            #expect(Set(some.map(\.user)) == ["many", "user 40", "user 41", "user 42"])
            #expect(some.count <= 10)
            #expect(some.first?.installation == "device 0", "the oldest devices")
        }
    }
}
