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

@Suite("Stores: audiences", .timeLimit(.minutes(20)))
struct AudienceTests {
    @Test(
        "an audience has exactly the devices for which it holds and that can be reached",
        arguments: ScannedStore.allCases
    )
    func match(kind: ScannedStore) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            var devices = AudienceFixtures()
            for number in 0..<120 {
                let registration = try devices.registration(number, app: StoreFixtures.app)
                try await store.register(registration, now: devices.time())
            }
            try await store.register(try devices.registration(999, app: StoreFixtures.otherApp), now: StoreFixtures.now)
            try await store.makeInvalid(3)
            var all: [Device] = []
            var cursor: Int64?
            repeat {
                let page = try await store.devices(of: StoreFixtures.app, in: nil, after: cursor, limit: 50)
                all += page.elements.filter(\.status.isReachable)
                cursor = page.next
            } while cursor != nil
            for _ in 0..<150 {
                let audience = devices.audience(depth: 3)
                let expected = all.filter(audience.matches)
                let members = try await store.members(
                    of: audience,
                    app: StoreFixtures.app,
                    in: AudienceRange(),
                    limit: 1000,
                    depth: .all
                )
                let json = String(decoding: try audience.json.json(), as: UTF8.self)
                #expect(members.map(\.target) == expected.map(\.target), "the devices of \(json)")
                #expect(
                    members.map(\.details) == expected.map { PersonalizationAttributes($0.profile) },
                    "what \(json) told"
                )
                let count = try await store.count(of: audience, app: StoreFixtures.app, through: nil)
                #expect(count == expected.count, "the number of devices of \(json)")
            }
        }
    }

    @Test(
        "an audience is read part by part, up to a place, without one that was removed meanwhile",
        arguments: ScannedStore.allCases
    )
    func readInParts(kind: ScannedStore) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for number in 0..<10 {
                let id = DeviceID(unchecked: "device-\(number)")
                try await store.register(StoreFixtures.registration(id, token: number), now: StoreFixtures.now)
            }
            let last = try await store.lastPlace(of: StoreFixtures.app)
            let late = try StoreFixtures.registration("late", token: 100)
            try await store.register(late, now: StoreFixtures.now)
            var range = AudienceRange(through: last)
            let first = try await store.members(of: .all, app: StoreFixtures.app, in: range, limit: 4, depth: .none)
            let expected = try (0..<4).map { try StoreFixtures.target($0) }
            #expect(first.map(\.target) == expected, "the first part")
            try await store.removeDevice("device-5", of: StoreFixtures.app)
            range.after = try #require(first.last?.place, "a place")
            let rest = try await store.members(of: .all, app: StoreFixtures.app, in: range, limit: 10, depth: .none)
            let restExpected = try [4, 6, 7, 8, 9].map { try StoreFixtures.target($0) }
            #expect(rest.map(\.target) == restExpected, "the rest")
            let count = try await store.count(of: .all, app: StoreFixtures.app, through: last)
            #expect(count == 9, "the number of devices")
            let none = try await store.count(of: .all, app: StoreFixtures.otherApp, through: nil)
            #expect(none == 0, "the number of devices of no app")
            let lastPlace = try await store.lastPlace(of: StoreFixtures.otherApp)
            #expect(lastPlace == 0, "the last place of no app")
        }
    }

    @Test(
        "a device that registers behind the newest one's removal has a place of its own",
        arguments: ScannedStore.allCases
    )
    func placeAfterRemoval(kind: ScannedStore) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            for number in 0..<3 { try await store.register(StoreFixtures.registration(number), now: StoreFixtures.now) }
            let last = try await store.lastPlace(of: StoreFixtures.app)
            // By being told to, by losing its token to another installation, and as the last one of all.
            try await store.removeDevice("device 2", of: StoreFixtures.app)
            try await store.register(StoreFixtures.registration(3), now: StoreFixtures.now)
            try await store.register(StoreFixtures.registration(4, token: 3), now: StoreFixtures.now)
            for installation: DeviceID in ["device 0", "device 1", "device 4"] {
                try await store.removeDevice(installation, of: StoreFixtures.app)
            }
            let late = try StoreFixtures.registration(5)
            let other = try StoreFixtures.registration("other", token: 5, app: StoreFixtures.otherApp)
            for registration in [late, other] { try await store.register(registration, now: StoreFixtures.now) }
            let range = AudienceRange(through: last)
            let early = try await store.members(of: .all, app: StoreFixtures.app, in: range, limit: 10, depth: .none)
            #expect(early.map(\.target) == [], "the devices up to the place")
            let count = try await store.count(of: .all, app: StoreFixtures.app, through: nil)
            #expect(count == 1, "the number of devices")
        }
    }

    @Test(
        "the devices of users are read part by part, up to a place and of some zones, like all others",
        arguments: ScannedStore.allCases
    )
    func readByUsers(kind: ScannedStore) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let users: [UserID?] = ["anna", "ben", "carl", nil]
            for number in 0..<24 {
                let registration = try StoreFixtures.registration(
                    DeviceID(unchecked: "device-\(number)"),
                    token: number,
                    app: number == 20 ? StoreFixtures.otherApp : StoreFixtures.app,
                    profile: DeviceProfile(timeZone: number < 12 ? "UTC" : nil, userID: users[number % 4])
                )
                try await store.register(registration, now: StoreFixtures.now)
            }
            let named = Audience.users(["carl", "anna", "anna", "nobody"])
            for audience in [named, .and([.not(.platform(.macOS)), .and([named])])] {
                var range = AudienceRange()
                let first = try await store.members(
                    of: audience,
                    app: StoreFixtures.app,
                    in: range,
                    limit: 5,
                    depth: .all
                )
                let expected = try [0, 2, 4, 6, 8].map { try StoreFixtures.target($0) }
                #expect(first.map(\.target) == expected, "the first part")
                #expect(first.map(\.details.userID) == ["anna", "carl", "anna", "carl", "anna"], "their users")
                range.after = try #require(first.last?.place, "a place")
                range.zones = .except(["UTC"])
                let rest = try await store.members(
                    of: audience,
                    app: StoreFixtures.app,
                    in: range,
                    limit: 9,
                    depth: .none
                )
                let restExpected = try [12, 14, 16, 18, 22].map { try StoreFixtures.target($0) }
                #expect(rest.map(\.target) == restExpected, "the rest")
                let count = try await store.count(of: audience, app: StoreFixtures.app, through: range.after)
                #expect(count == 5, "how many there are up to a place")
                let last = try await store.lastPlace(of: StoreFixtures.app)
                let zones = try await store.timeZones(of: audience, app: StoreFixtures.app, through: last)
                #expect(zones == ["UTC": 6, nil: 5], "the zones")
            }
            let both = Audience.and([named, .users(["anna"])])
            let ofBoth = try await store.count(of: both, app: StoreFixtures.app, through: nil)
            #expect(ofBoth == 5, "the devices of both")
            let none = try await store.count(of: .users([]), app: StoreFixtures.app, through: nil)
            #expect(none == 0, "the devices of nobody")
        }
    }

    @Test("the time zones of an audience are told, and devices are read by them", arguments: ScannedStore.allCases)
    func timeZones(kind: ScannedStore) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let zones = ["Asia/Tokyo", "Europe/Vienna", nil, "Asia/Tokyo", "Nowhere"]
            for (number, zone) in zones.enumerated() {
                let id = DeviceID(unchecked: "device-\(number)")
                let profile = DeviceProfile(timeZone: zone)
                let registration = try StoreFixtures.registration(id, token: number, profile: profile)
                try await store.register(registration, now: StoreFixtures.now)
            }
            let last = try await store.lastPlace(of: StoreFixtures.app)
            let found = try await store.timeZones(of: .all, app: StoreFixtures.app, through: last)
            let expected: [String?: Int] = ["Asia/Tokyo": 2, "Europe/Vienna": 1, nil: 1, "Nowhere": 1]
            #expect(found == expected, "the zones")
            let filters: [(TimeZoneFilter, [Int])] = [
                (.any, [0, 1, 2, 3, 4]), (.only(["Asia/Tokyo"]), [0, 3]), (.except(["Asia/Tokyo"]), [1, 2, 4]),
                (.only([]), []), (.except([]), [0, 1, 2, 3, 4]),
            ]
            for (filter, numbers) in filters {
                let range = AudienceRange(zones: filter)
                let read = try await store.members(
                    of: .all,
                    app: StoreFixtures.app,
                    in: range,
                    limit: 10,
                    depth: .locale
                )
                let expectedThen = try numbers.map { try StoreFixtures.target($0) }
                #expect(read.map(\.target) == expectedThen, "\(filter)")
            }
        }
    }
}

extension AppStore where Self: BatchStore {
    /// Lets APNs declare the token of that number dead.
    func makeInvalid(_ number: Int) async throws {
        let target = try StoreFixtures.target(number)
        let plan = try BatchedNotification(
            app: StoreFixtures.app,
            lane: .urgent,
            headers: NotificationHeaders(topic: Topic(StoreFixtures.app.rawValue)),
            payload: APNsPayload(json: "{}"),
            targets: [target],
            now: StoreFixtures.now
        )
        try await self.accept(plan)
        let claimed = try #require(try await self.claim().first, "the batch")
        let outcome = StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 1000))
        let failure = Settlement.Failure(index: 0, outcome: outcome)
        try await self.settle(Settlement(of: claimed, range: 0..<1, failures: [failure]), now: StoreFixtures.now)
    }
}
