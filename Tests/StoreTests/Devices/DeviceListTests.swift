// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: device lists", .timeLimit(.minutes(5)))
struct DeviceListTests {
    @Test("devices are listed page by page in the order of their first registration", arguments: StoreInTest.allCases)
    func list(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            let names = (0..<25).map { InstallationID(unchecked: "device \(($0 * 7) % 25)") }
            for (number, name) in names.enumerated() {
                let profile = DeviceProfile(topics: ["topic \(number)"])
                let registration = try StoreSamples.registration(name, token: number, profile: profile)
                try await store.register(registration, now: StoreSamples.now)
                try await store.register(
                    StoreSamples.registration(name, token: number, app: StoreSamples.otherApp),
                    now: StoreSamples.now
                )
            }
            try await store.register(StoreSamples.registration(names[3], token: 99), now: StoreSamples.after(1))
            var listed: [Device] = []
            var cursor: Int64?
            repeat {
                let page = try await store.devices(of: StoreSamples.app, in: nil, after: cursor, limit: 10)
                #expect(page.elements.count <= 10, "a page has more elements than its limit")
                listed += page.elements
                cursor = page.next
            } while cursor != nil
            try #require(listed.map(\.installation) == names, "the devices listed")
            #expect(listed.allSatisfy { $0.app == StoreSamples.app }, "a device of another app is listed")
            #expect(listed[4].profile.topics == ["topic 4"], "the topics of a listed device")
        }
    }

    @Test("devices of one state are listed without the others, page by page", arguments: StoreInTest.allCases)
    func states(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<6 {
                try await store.register(StoreSamples.registration(number), now: StoreSamples.now)
            }
            let gone = StoreSamples.rejection(.unregistered, inactiveSince: StoreSamples.milliseconds(after: 1))
            for number in [1, 3, 4] {
                try await DeviceStateTests.settleOne(of: store, target: StoreSamples.target(number), outcome: gone)
            }
            try await DeviceStateTests.settleOne(
                of: store,
                target: StoreSamples.target(2),
                outcome: StoreSamples.rejection(.badDeviceToken)
            )
            let expected: [(DeviceStatus.State, [[InstallationID]])] = [
                (.active, [["device 0", "device 5"]]), (.suspect, [["device 2"]]),
                (.invalid, [["device 1", "device 3"], ["device 4"]]),
            ]
            for (state, pages) in expected {
                #expect(try await Self.pages(of: store, in: state, limit: 2) == pages, "\(state)")
            }
        }
    }

    @Test("a page of devices of one state ends after 10,000 devices", arguments: StoreInTest.allCases)
    func window(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            let registrations = try (0..<10_001).map { try StoreSamples.registration($0) }
            try await store.register(Array(registrations.prefix(10_000)), now: StoreSamples.now)
            #expect(try await Self.pages(of: store, in: .invalid, limit: 2) == [[], []], "10,000 devices")
            try await store.register(Array(registrations.suffix(1)), now: StoreSamples.now)
            let other = try StoreSamples.registration("other", token: 0, app: StoreSamples.otherApp)
            try await store.register(other, now: StoreSamples.now)
            for number in [9_998, 9_999, 10_000] {
                try await DeviceStateTests.settleOne(
                    of: store,
                    target: StoreSamples.target(number),
                    outcome: StoreSamples.rejection(.badDeviceToken)
                )
            }
            let pages: [[InstallationID]] = [["device 9998", "device 9999"], ["device 10000"]]
            #expect(try await Self.pages(of: store, in: .suspect, limit: 2) == pages, "10,001 devices")
            #expect(try await Self.pages(of: store, in: .suspect, limit: 3) == pages, "a page that is not full")
        }
    }

    private static func pages(
        of store: any PushStore,
        in state: DeviceStatus.State,
        limit: Int
    ) async throws -> [[InstallationID]] {
        var pages: [[InstallationID]] = []
        var cursor: Int64?
        repeat {
            let page = try await store.devices(of: StoreSamples.app, in: state, after: cursor, limit: limit)
            pages.append(page.elements.map(\.installation))
            cursor = page.next
        } while cursor != nil
        return pages
    }

    @Test("an app without devices, or no app at all, lists none", arguments: StoreInTest.allCases)
    func none(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for app in [StoreSamples.app, StoreSamples.otherApp] {
                let page = try await store.devices(of: app, in: nil, after: nil, limit: 10)
                #expect(page.elements.isEmpty && page.next == nil, "there are devices")
            }
        }
    }

    @Test(
        "targets are found for many installations at once, without those that cannot be reached",
        arguments: StoreInTest.allCases
    )
    func findInstallations(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<5 {
                let name = InstallationID(unchecked: "\(number)")
                let registration = try StoreSamples.registration(name, token: number, environment: .sandbox)
                try await store.register(registration, now: StoreSamples.now)
            }
            try await DeviceStateTests.settleOne(
                of: store,
                target: StoreSamples.target(2, environment: .sandbox),
                outcome: StoreSamples.rejection(.unregistered, inactiveSince: StoreSamples.milliseconds(after: 1))
            )
            try await DeviceStateTests.settleOne(
                of: store,
                target: StoreSamples.target(3, environment: .sandbox),
                outcome: StoreSamples.rejection(.badDeviceToken)
            )
            let found = try await store.targets(of: StoreSamples.app, installations: ["1", "2", "3", "none", "1"])
            let expected: [InstallationID: Target] = [
                "1": try StoreSamples.target(1, environment: .sandbox),
                "3": try StoreSamples.target(3, environment: .sandbox),
            ]
            #expect(found == expected, "the targets")
            let foreign = try await store.targets(of: StoreSamples.otherApp, installations: ["1"])
            #expect(foreign == [:], "the targets of no app")
        }
    }

    @Test("targets are found for users, with all their devices", arguments: StoreInTest.allCases)
    func findUsers(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for (number, user) in (["a", "b", "a", nil] as [UserID?]).enumerated() {
                let registration = try StoreSamples.registration(
                    InstallationID(unchecked: "\(number)"),
                    token: number,
                    profile: DeviceProfile(userID: user)
                )
                try await store.register(registration, now: StoreSamples.now)
            }
            let found = try await store.targets(of: StoreSamples.app, users: ["a", "c", "a"])
            #expect(Array(found.keys) == ["a"], "the users found")
            let expected = [try StoreSamples.target(0), try StoreSamples.target(2)]
            #expect(Set(found["a"] ?? []) == Set(expected), "the user's targets")
            #expect(found["a"]?.count == 2, "how many targets the user has")
            let installations = try await store.installations(of: StoreSamples.app, users: ["c", "b", "a", "a"])
            #expect(installations == ["0", "1", "2"], "the installations")
        }
    }
}
