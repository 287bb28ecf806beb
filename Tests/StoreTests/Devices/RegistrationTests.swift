// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: registration", .timeLimit(.minutes(20)))
struct RegistrationTests {
    @Test("a device comes back as it was registered", arguments: TestStoreBackend.allCases)
    func register(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let profile = DeviceProfile(
                platform: .iPadOS,
                appVersion: "2.10.1",
                systemVersion: "18.1",
                locale: "ja-JP",
                timeZone: "Asia/Tokyo",
                userID: "user \"7\"",
                tags: ["plan": "gold", "city": "東京", "empty": ""],
                topics: ["news", "スポーツ"]
            )
            let registration = try StoreFixtures.registration(
                "phone",
                token: 1,
                environment: .sandbox,
                profile: profile
            )
            let device = try await store.register(registration, now: StoreFixtures.after(0.5))
            let storedDevice = try await store.device("phone", of: StoreFixtures.app)
            #expect(storedDevice == device, "the stored device")
            #expect(device.profile == profile, "its profile")
            #expect(device.token == registration.token, "its token")
            #expect(device.environment == .sandbox, "its environment")
            #expect(device.status == .active, "its status")
            let times = [device.createdAt, device.registeredAt, device.seenAt]
            #expect(times == Array(repeating: StoreFixtures.after(0.5), count: 3), "its times")
        }
    }

    @Test("topics come back with whatever is written in them", arguments: TestStoreBackend.allCases)
    func topics(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            // A mark that is combined with a quotation mark or a backslash makes another letter of both.
            let topics: Set<String> = [
                "\"", "\\", "\"\u{301}", "a\\\u{20DD}b", "{a,b}", "NULL", "null", " a ", "a\"\u{301}\\\u{301}\"",
                "\n\t",
            ]
            let registration = try StoreFixtures.registration("phone", token: 1, profile: DeviceProfile(topics: topics))
            try await store.register([registration], now: StoreFixtures.now)
            let device = try #require(try await store.device("phone", of: StoreFixtures.app), "the device")
            #expect(device.profile.topics == topics, "the topics")
            for topic in topics {
                let count = try await store.count(of: .topic(topic), app: StoreFixtures.app, through: nil)
                #expect(count == 1, "the devices with the topic \(topic)")
            }
        }
    }

    @Test("a registration for no app is refused, one by one and in bulk", arguments: TestStoreBackend.allCases)
    func unknownApp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let registration = try StoreFixtures.registration("phone", token: 1)
            try await expectError(.notFound, "one registration") {
                try await store.register(registration, now: StoreFixtures.now)
            }
            try await store.addSampleApp(StoreFixtures.otherApp)
            let other = try StoreFixtures.registration("pad", token: 2, app: StoreFixtures.otherApp)
            try await expectError(.notFound, "many registrations") {
                try await store.register([other, registration], now: StoreFixtures.now)
            }
            #expect(try await store.device("pad", of: StoreFixtures.otherApp) == nil, "the device before it")
        }
    }

    @Test(
        "registering again replaces everything but the time of the first registration",
        arguments: TestStoreBackend.allCases
    )
    func registerAgain(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register(
                StoreFixtures.registration(
                    "phone",
                    token: 1,
                    profile: DeviceProfile(userID: "a", tags: ["x": "y"], topics: ["t", "u"])
                ),
                now: StoreFixtures.now
            )
            let again = try StoreFixtures.registration("phone", token: 2, profile: DeviceProfile(topics: ["u", "v"]))
            try await store.register(again, now: StoreFixtures.after(10))
            let device = try #require(try await store.device("phone", of: StoreFixtures.app), "the device")
            #expect(device.createdAt == StoreFixtures.now, "createdAt")
            #expect(device.registeredAt == StoreFixtures.after(10), "registeredAt")
            #expect(device.token == again.token, "the token")
            #expect(device.profile == again.profile, "the profile")
            let old = try await store.targets(of: StoreFixtures.app, users: ["a"])
            #expect(old == [:], "the devices of the user who signed out")
        }
    }

    @Test("a token moves to the installation that registers it last", arguments: TestStoreBackend.allCases)
    func moveToken(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register(StoreFixtures.registration("old", token: 1), now: StoreFixtures.now)
            try await store.register(StoreFixtures.registration("other", token: 2), now: StoreFixtures.now)
            try await store.register(StoreFixtures.registration("new", token: 1), now: StoreFixtures.after(1))
            #expect(try await store.device("old", of: StoreFixtures.app) == nil, "the old installation")
            try await store.register(StoreFixtures.registration("other", token: 1), now: StoreFixtures.after(2))
            #expect(try await store.device("new", of: StoreFixtures.app) == nil, "the second installation")
            let other = try #require(try await store.device("other", of: StoreFixtures.app), "the third installation")
            let expected = try StoreFixtures.token(1)
            #expect(other.token == expected, "its token")
        }
    }

    @Test("the same token in another environment or app is another one", arguments: TestStoreBackend.allCases)
    func sameTokenElsewhere(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let registrations = [
                try StoreFixtures.registration("a", token: 1),
                try StoreFixtures.registration("b", token: 1, environment: .sandbox),
                try StoreFixtures.registration("a", token: 1, app: StoreFixtures.otherApp),
            ]
            try await store.register(registrations, now: StoreFixtures.now)
            for registration in registrations {
                let device = try await store.device(registration.installation, of: registration.app)
                #expect(device?.environment == registration.environment, "the device")
            }
        }
    }

    @Test("a removed device is gone, and its token is free", arguments: TestStoreBackend.allCases)
    func remove(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register(StoreFixtures.registration("phone", token: 1), now: StoreFixtures.now)
            #expect(try await store.removeDevice("phone", of: StoreFixtures.app), "it was not removed")
            #expect(try await !store.removeDevice("phone", of: StoreFixtures.app), "removing it again")
            #expect(try await store.device("phone", of: StoreFixtures.app) == nil, "the device")
            try await store.register(StoreFixtures.registration("pad", token: 1), now: StoreFixtures.now)
            _ = try #require(try await store.device("pad", of: StoreFixtures.app), "the next holder of the token")
        }
    }

    @Test("nothing is started any more on a device that was removed", arguments: TestStoreBackend.allCases)
    func removedDevice(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in [1, 2] {
                let phone = ActivityFixtures.phone(number)
                try await store.register(StoreFixtures.registration(phone, token: number), now: StoreFixtures.now)
                _ = try await store.keep(ActivityFixtures.startToken(number, token: 10 + number))
            }
            try await store.removeDevice(ActivityFixtures.phone(1), of: StoreFixtures.app)
            let token = try ActivityFixtures.startToken(2, token: 12)
            let left = try await store.pushToStartTokens(
                of: token.attributesType,
                app: StoreFixtures.app,
                installations: [1, 2].map(ActivityFixtures.phone)
            )
            #expect(left == [ActivityFixtures.phone(2): token], "the tokens that are left")
        }
    }
}
