// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: device lists", .timeLimit(.minutes(20)))
struct DeviceListTests {
    @Test(
        "devices are listed page by page in the order of their first registration",
        arguments: TestStoreBackend.allCases
    )
    func list(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let names = (0..<25).map { DeviceID(unchecked: "device \(($0 * 7) % 25)") }
            for (number, name) in names.enumerated() {
                let profile = DeviceProfile(topics: ["topic \(number)"])
                let registration = try StoreFixtures.registration(name, token: number, profile: profile)
                try await store.register(registration, now: StoreFixtures.now)
                try await store.register(
                    StoreFixtures.registration(name, token: number, app: StoreFixtures.otherApp),
                    now: StoreFixtures.now
                )
            }
            try await store.register(StoreFixtures.registration(names[3], token: 99), now: StoreFixtures.after(1))
            var listed: [Device] = []
            var cursor: Int64?
            repeat {
                let page = try await store.devices(of: StoreFixtures.app, in: nil, after: cursor, limit: 10)
                #expect(page.elements.count <= 10, "a page has more elements than its limit")
                listed += page.elements
                cursor = page.next
            } while cursor != nil
            try #require(listed.map(\.installation) == names, "the devices listed")
            #expect(listed.allSatisfy { $0.app == StoreFixtures.app }, "a device of another app is listed")
            #expect(listed[4].profile.topics == ["topic 4"], "the topics of a listed device")
        }
    }

    @Test(
        "devices are found by token in both environments and by user, regardless of their status",
        arguments: TestStoreBackend.allCases
    )
    func search(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let profile = DeviceProfile(userID: "anna")
            for app in [StoreFixtures.app, StoreFixtures.otherApp] {
                for (number, name) in ["b", "a", "c"].enumerated() {
                    let name = DeviceID(unchecked: name)
                    var device = try StoreFixtures.registration(name, token: number % 2, app: app, profile: profile)
                    if number == 2 { device.environment = device.environment == .sandbox ? .production : .sandbox }
                    try await store.register(device, now: StoreFixtures.now)
                }
            }
            let gone = StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 1))
            try await DeviceStateTests.settleOne(of: store, target: StoreFixtures.target(0), outcome: gone)
            let app = StoreFixtures.app
            let byToken = try await store.devices(of: app, matching: .token(StoreFixtures.target(0).token))
            #expect(byToken.map(\.installation) == ["b", "c"])
            #expect(byToken.allSatisfy { $0.app == app })
            #expect(byToken.first?.status != .active)
            let byUser = try await store.devices(of: app, matching: .user("anna"))
            #expect(byUser.map(\.installation) == ["b", "a", "c"])
            #expect(try await store.devices(of: app, matching: .user("ann")).isEmpty)
            #expect(try await store.devices(of: app, matching: .token(StoreFixtures.target(9).token)).isEmpty)
            #expect(try await store.devices(of: "com.example.unknown", matching: .user("anna")).isEmpty)
        }
    }

    @Test("devices of one state are listed without the others, page by page", arguments: TestStoreBackend.allCases)
    func states(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<6 {
                try await store.register(StoreFixtures.registration(number), now: StoreFixtures.now)
            }
            let gone = StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 1))
            for number in [1, 3, 4] {
                try await DeviceStateTests.settleOne(of: store, target: StoreFixtures.target(number), outcome: gone)
            }
            try await DeviceStateTests.settleOne(
                of: store,
                target: StoreFixtures.target(2),
                outcome: StoreFixtures.rejection(.badDeviceToken)
            )
            let expected: [(DeviceStatus.State, [[DeviceID]])] = [
                (.active, [["device 0", "device 5"]]), (.suspect, [["device 2"]]),
                (.invalid, [["device 1", "device 3"], ["device 4"]]),
            ]
            for (state, pages) in expected {
                #expect(try await Self.pages(of: store, in: state, limit: 2) == pages, "\(state)")
            }
        }
    }

    @Test("a page of devices of one state ends after 10,000 devices", arguments: TestStoreBackend.allCases)
    func window(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let registrations = try (0..<10_001).map { try StoreFixtures.registration($0) }
            try await store.register(Array(registrations.prefix(10_000)), now: StoreFixtures.now)
            #expect(try await Self.pages(of: store, in: .invalid, limit: 2) == [[], []], "10,000 devices")
            try await store.register(Array(registrations.suffix(1)), now: StoreFixtures.now)
            let other = try StoreFixtures.registration("other", token: 0, app: StoreFixtures.otherApp)
            try await store.register(other, now: StoreFixtures.now)
            for number in [9_998, 9_999, 10_000] {
                try await DeviceStateTests.settleOne(
                    of: store,
                    target: StoreFixtures.target(number),
                    outcome: StoreFixtures.rejection(.badDeviceToken)
                )
            }
            let pages: [[DeviceID]] = [["device 9998", "device 9999"], ["device 10000"]]
            #expect(try await Self.pages(of: store, in: .suspect, limit: 2) == pages, "10,001 devices")
            #expect(try await Self.pages(of: store, in: .suspect, limit: 3) == pages, "a page that is not full")
        }
    }

    private static func pages(
        of store: any PushStore,
        in state: DeviceStatus.State,
        limit: Int
    ) async throws -> [[DeviceID]] {
        var pages: [[DeviceID]] = []
        var cursor: Int64?
        repeat {
            let page = try await store.devices(of: StoreFixtures.app, in: state, after: cursor, limit: limit)
            pages.append(page.elements.map(\.installation))
            cursor = page.next
        } while cursor != nil
        return pages
    }

    @Test("an app without devices, or no app at all, lists none", arguments: TestStoreBackend.allCases)
    func none(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for app in [StoreFixtures.app, StoreFixtures.otherApp] {
                let page = try await store.devices(of: app, in: nil, after: nil, limit: 10)
                #expect(page.elements.isEmpty && page.next == nil, "there are devices")
            }
        }
    }

    @Test(
        "targets are found for many installations at once, without those that cannot be reached",
        arguments: TestStoreBackend.allCases
    )
    func findInstallations(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<5 {
                let name = DeviceID(unchecked: "\(number)")
                let registration = try StoreFixtures.registration(name, token: number, environment: .sandbox)
                try await store.register(registration, now: StoreFixtures.now)
            }
            try await DeviceStateTests.settleOne(
                of: store,
                target: StoreFixtures.target(2, environment: .sandbox),
                outcome: StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 1))
            )
            try await DeviceStateTests.settleOne(
                of: store,
                target: StoreFixtures.target(3, environment: .sandbox),
                outcome: StoreFixtures.rejection(.badDeviceToken)
            )
            let found = try await store.targets(of: StoreFixtures.app, installations: ["1", "2", "3", "none", "1"])
            let expected: [DeviceID: Target] = [
                "1": try StoreFixtures.target(1, environment: .sandbox),
                "3": try StoreFixtures.target(3, environment: .sandbox),
            ]
            #expect(found == expected, "the targets")
            let foreign = try await store.targets(of: StoreFixtures.otherApp, installations: ["1"])
            #expect(foreign == [:], "the targets of no app")
        }
    }

    @Test("targets are found for users, with all their devices", arguments: TestStoreBackend.allCases)
    func findUsers(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for (number, user) in (["a", "b", "a", nil] as [UserID?]).enumerated() {
                let registration = try StoreFixtures.registration(
                    DeviceID(unchecked: "\(number)"),
                    token: number,
                    profile: DeviceProfile(userID: user)
                )
                try await store.register(registration, now: StoreFixtures.now)
            }
            let found = try await store.targets(of: StoreFixtures.app, users: ["a", "c", "a"])
            #expect(Array(found.keys) == ["a"], "the users found")
            let expected = [try StoreFixtures.target(0), try StoreFixtures.target(2)]
            #expect(Set(found["a"] ?? []) == Set(expected), "the user's targets")
            #expect(found["a"]?.count == 2, "how many targets the user has")
            let installations = try await store.installations(of: StoreFixtures.app, users: ["c", "b", "a", "a"])
            #expect(installations == ["0", "1", "2"], "the installations")
        }
    }
}
