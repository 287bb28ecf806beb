// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

/// `or` prevents that an index is used, so each audience is compared with a scan.
@Suite("Stores: audiences by index", .timeLimit(.minutes(20)))
struct AudienceIndexTests {
    @Test(
        "an index finds the devices of a scan, with any other conditions, in pages of every size",
        arguments: TestStoreBackend.allCases
    )
    func sameDevices(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            var samples = AudienceFixtures()
            let registrations = try (0..<3000).map { number in
                var registration = try samples.registration(number, app: StoreFixtures.app)
                registration.profile.topics.insert("rare \(number % 300)")
                if number.isMultiple(of: 100) { registration.profile.userID = "carl" }
                return registration
            }
            try await store.register(registrations, now: StoreFixtures.now)
            for round in 0..<40 {
                let condition = samples.audience(depth: 2)
                let indexed: Audience =
                    switch round % 4 {
                    case 0: .topic("rare \(round)")
                    case 1: .users(["carl"])
                    case 2: .users(["carl", "anna", "nobody"])
                    default: .and([.topic("news"), .and([.topic("rare \(round)"), .users(["carl", "ben", "anna"])])])
                    }
                for audience in [indexed, .and([condition, indexed])] {
                    let scanned = Audience.or([audience, .or([])])
                    let expected = try await store.pages(of: scanned, limit: 1000)
                    for limit in [1, 7, 1000] where limit > 1 || expected.count < 30 {
                        let found = try await store.pages(of: audience, limit: limit)
                        #expect(found == expected, "\(audience), \(limit) at a time")
                    }
                    let count = try await store.count(of: audience, app: StoreFixtures.app, through: nil)
                    #expect(count == expected.count, "\(audience)")
                    let last = try await store.lastPlace(of: StoreFixtures.app)
                    let zones = try await store.timeZones(of: audience, app: StoreFixtures.app, through: last)
                    let expectedZones = try await store.timeZones(of: scanned, app: StoreFixtures.app, through: last)
                    #expect(zones == expectedZones, "\(audience)")
                }
            }
        }
    }

    @Test("a page by index has what the devices reported before it is read", arguments: ScannedStore.allCases)
    func changes(kind: ScannedStore) async throws {
        for audience in [Audience.topic("news"), .users(["anna"])] {
            try await withStore(kind) { store in
                try await store.addSampleApp()
                let member = DeviceProfile(userID: "anna", topics: ["news"])
                for number in 0..<8 {
                    try await store.register(Self.registration(number, member), now: StoreFixtures.now)
                }
                // So many that the topic is rare.
                let others = DeviceProfile(userID: "ben", topics: ["weather"])
                try await store.register((8..<1000).map { try Self.registration($0, others) }, now: StoreFixtures.now)
                var range = AudienceRange(through: try await store.lastPlace(of: StoreFixtures.app))
                let first = try await store.members(
                    of: audience,
                    app: StoreFixtures.app,
                    in: range,
                    limit: 3,
                    depth: .none
                )
                range.after = try #require(first.last?.place, "a place")
                let later = StoreFixtures.after(1)
                try await store.removeDevice("device 4", of: StoreFixtures.app)
                try await store.register(Self.registration(5, DeviceProfile(userID: "ben")), now: later)
                try await store.register(Self.registration(1, member), now: later)
                try await store.register(Self.registration(600, member), now: later)
                try await store.register(Self.registration(1000, member), now: later)
                let rest = try await store.members(
                    of: audience,
                    app: StoreFixtures.app,
                    in: range,
                    limit: 10,
                    depth: .none
                )
                let firstExpected = try [0, 1, 2].map { try StoreFixtures.target($0) }
                #expect(first.map(\.target) == firstExpected, "the first page")
                let restExpected = try [3, 6, 7, 600].map { try StoreFixtures.target($0) }
                #expect(rest.map(\.target) == restExpected, "the rest")
            }
        }
    }

    private static func registration(_ number: Int, _ profile: DeviceProfile) throws -> DeviceRegistration {
        try StoreFixtures.registration(DeviceID(unchecked: "device \(number)"), token: number, profile: profile)
    }
}

extension AudienceStore {
    /// Reads all pages of an audience.
    fileprivate func pages(of audience: Audience, limit: Int) async throws -> [AudienceDevice] {
        var members: [AudienceDevice] = []
        while true {
            let page = try await self.members(
                of: audience,
                app: StoreFixtures.app,
                in: AudienceRange(after: members.last?.place ?? 0),
                limit: limit,
                depth: .all
            )
            members += page
            if page.count < limit { return members }
        }
    }
}
