// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let registration = [
        Check("a device comes back as it was registered") { store in
            try await store.addSampleApp()
            let profile = DeviceProfile(
                platform: .iPadOS,
                appVersion: "2.10.1",
                locale: "ja-JP",
                timeZone: "Asia/Tokyo",
                userID: "user \"7\"",
                tags: ["plan": "gold", "city": "東京", "empty": ""],
                topics: ["news", "スポーツ"]
            )
            let registration = try StoreSamples.registration("phone", token: 1, environment: .sandbox, profile: profile)
            let device = try await store.register(registration, now: StoreSamples.after(0.5))
            try expectEqual(try await store.device("phone", of: StoreSamples.app), device, "the stored device")
            try expectEqual(device.profile, profile, "its profile")
            try expectEqual(device.token, registration.token, "its token")
            try expectEqual(device.environment, .sandbox, "its environment")
            try expectEqual(device.status, .active, "its status")
            let times = [device.createdAt, device.registeredAt, device.seenAt]
            try expectEqual(times, Array(repeating: StoreSamples.after(0.5), count: 3), "its times")
        },
        Check("topics come back with whatever is written in them") { store in
            try await store.addSampleApp()
            // A mark that is combined with a quotation mark or a backslash makes another letter of both.
            let topics: Set<String> = [
                "\"", "\\", "\"\u{301}", "a\\\u{20DD}b", "{a,b}", "NULL", "null", " a ", "a\"\u{301}\\\u{301}\"",
                "\n\t",
            ]
            let registration = try StoreSamples.registration("phone", token: 1, profile: DeviceProfile(topics: topics))
            try await store.register([registration], now: StoreSamples.now)
            let device = try require(try await store.device("phone", of: StoreSamples.app), "the device")
            try expectEqual(device.profile.topics, topics, "the topics")
            for topic in topics {
                let count = try await store.count(of: .topic(topic), app: StoreSamples.app, through: nil)
                try expectEqual(count, 1, "the devices with the topic \(topic)")
            }
        },
        Check("a registration for no app is refused, one by one and in bulk") { store in
            let registration = try StoreSamples.registration("phone", token: 1)
            try await expectError(.notFound, "one registration") {
                try await store.register(registration, now: StoreSamples.now)
            }
            try await store.addSampleApp(StoreSamples.otherApp)
            let other = try StoreSamples.registration("pad", token: 2, app: StoreSamples.otherApp)
            try await expectError(.notFound, "many registrations") {
                try await store.register([other, registration], now: StoreSamples.now)
            }
            try expectEqual(try await store.device("pad", of: StoreSamples.otherApp), nil, "the device before it")
        },
        Check("registering again replaces everything but the time of the first registration") { store in
            try await store.addSampleApp()
            try await store.register(
                StoreSamples.registration(
                    "phone",
                    token: 1,
                    profile: DeviceProfile(userID: "a", tags: ["x": "y"], topics: ["t", "u"])
                ),
                now: StoreSamples.now
            )
            let again = try StoreSamples.registration("phone", token: 2, profile: DeviceProfile(topics: ["u", "v"]))
            try await store.register(again, now: StoreSamples.after(10))
            let device = try require(try await store.device("phone", of: StoreSamples.app), "the device")
            try expectEqual(device.createdAt, StoreSamples.now, "createdAt")
            try expectEqual(device.registeredAt, StoreSamples.after(10), "registeredAt")
            try expectEqual(device.token, again.token, "the token")
            try expectEqual(device.profile, again.profile, "the profile")
            let old = try await store.targets(of: StoreSamples.app, users: ["a"])
            try expectEqual(old, [:], "the devices of the user who signed out")
        },
        Check("a token moves to the installation that registers it last") { store in
            try await store.addSampleApp()
            try await store.register(StoreSamples.registration("old", token: 1), now: StoreSamples.now)
            try await store.register(StoreSamples.registration("other", token: 2), now: StoreSamples.now)
            try await store.register(StoreSamples.registration("new", token: 1), now: StoreSamples.after(1))
            try expectEqual(try await store.device("old", of: StoreSamples.app), nil, "the old installation")
            try await store.register(StoreSamples.registration("other", token: 1), now: StoreSamples.after(2))
            try expectEqual(try await store.device("new", of: StoreSamples.app), nil, "the second installation")
            let other = try require(try await store.device("other", of: StoreSamples.app), "the third installation")
            try expectEqual(other.token, try StoreSamples.token(1), "its token")
        },
        Check("the same token in another environment or app is another one") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            let registrations = [
                try StoreSamples.registration("a", token: 1),
                try StoreSamples.registration("b", token: 1, environment: .sandbox),
                try StoreSamples.registration("a", token: 1, app: StoreSamples.otherApp),
            ]
            try await store.register(registrations, now: StoreSamples.now)
            for registration in registrations {
                let device = try await store.device(registration.installation, of: registration.app)
                try expectEqual(device?.environment, registration.environment, "the device")
            }
        },
        Check("a removed device is gone, and its token is free") { store in
            try await store.addSampleApp()
            try await store.register(StoreSamples.registration("phone", token: 1), now: StoreSamples.now)
            try expect(try await store.removeDevice("phone", of: StoreSamples.app), "it was not removed")
            try expectEqual(try await store.removeDevice("phone", of: StoreSamples.app), false, "removing it again")
            try expectEqual(try await store.device("phone", of: StoreSamples.app), nil, "the device")
            try await store.register(StoreSamples.registration("pad", token: 1), now: StoreSamples.now)
            _ = try require(try await store.device("pad", of: StoreSamples.app), "the next holder of the token")
        },
        Check("nothing is started any more on a device that was removed") { store in
            try await store.addSampleApp()
            for number in [1, 2] {
                let phone = ActivitySamples.phone(number)
                try await store.register(StoreSamples.registration(phone, token: number), now: StoreSamples.now)
                _ = try await store.keep(ActivitySamples.startToken(number, token: 10 + number))
            }
            try await store.removeDevice(ActivitySamples.phone(1), of: StoreSamples.app)
            let token = try ActivitySamples.startToken(2, token: 12)
            let left = try await store.pushToStartTokens(
                of: token.attributesType,
                app: StoreSamples.app,
                installations: [1, 2].map(ActivitySamples.phone)
            )
            try expectEqual(left, [ActivitySamples.phone(2): token], "the tokens that are left")
        },
    ]
}
