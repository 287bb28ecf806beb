// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

extension StatementTests {
    static func devices(_ store: any SQLOperations) async throws {
        let (app, now) = (StoreFixtures.app, StoreFixtures.now)
        let profile = DeviceProfile(userID: "emil", topics: ["news"])
        let phone = try StoreFixtures.registration("phone", token: 101, profile: profile)
        for _ in 1...2 { #expect(try await store.register(phone, now: now).profile == profile) }
        var pad = try StoreFixtures.registration("pad", token: 101)
        #expect(try await store.register([pad, StoreFixtures.registration("tv", token: 102)], now: now) == 2)
        pad.registeredAt = StoreFixtures.after(1)
        pad.profile.topics = ["sports"]
        var late = phone
        late.registeredAt = StoreFixtures.after(2)
        #expect(try await store.register([pad, late], now: now) == 2)
        let devices = try await store.devices(of: app, in: nil, after: nil, limit: 10).elements
        let device = try await store.device("tv", of: app)
        #expect(devices.contains { $0 == device })
        #expect(try await store.devices(of: app, in: .active, after: nil, limit: 10).elements.contains { $0 == device })
        let target = Target(token: phone.token, environment: phone.environment)
        #expect(try await store.targets(of: app, installations: ["phone"]) == ["phone": target])
        #expect(try await store.targets(of: app, users: ["emil"]) == ["emil": [target]])
        #expect(try await store.installations(of: app, users: ["emil"]) == ["phone"])
        #expect(try await store.devices(of: app, matching: .token(phone.token)).map(\.installation) == ["phone"])
        #expect(try await store.devices(of: app, matching: .user("emil")).map(\.installation) == ["phone"])
        #expect(try await store.registered([target], of: app) == [target])
        #expect(try await store.fixEnvironments([target], of: app, registeredUntil: StoreFixtures.after(9)) == 1)
        #expect(try await store.removeDevice("phone", of: app))
    }
}
