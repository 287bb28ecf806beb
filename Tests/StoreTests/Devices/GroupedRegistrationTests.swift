// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Synchronization
import Testing

@Suite("Stores: registrations that share transactions", .timeLimit(.minutes(20)))
struct GroupedRegistrationTests {
    private typealias Store = any PushStore & SQLBacked

    /// A call with its result.
    private struct Call: Sendable {
        let registration: DeviceRegistration
        let seconds: Double
        var result: Result<Device, StoreError>?
    }

    private static let profile = DeviceProfile(
        platform: .iOS,
        appVersion: "2.10.1",
        systemVersion: "18.1",
        locale: "de-AT",
        timeZone: "Europe/Vienna",
        userID: "anna",
        tags: ["plan": "gold", "city": "東京", "a \"quoted\" name": "back\\slash/é", "B": ""],
        topics: ["news", "スポーツ", "Sports"]
    )

    @Test("each of many concurrent registrations has its own result", arguments: TestStoreBackend.allCases)
    func concurrent(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let apps = [StoreFixtures.app, StoreFixtures.otherApp]
            let known = try (0..<40).map { number in
                try Self.registration("known \(number)", token: number, app: apps[number % 2], profile: Self.profile)
            }
            try await store.register(known, now: StoreFixtures.now)
            let changed = try (0..<40).map { number in
                var registration = known[number]
                if number % 4 == 1 { registration.profile.appVersion = "3" }
                if number % 4 == 2 { registration.token = try StoreFixtures.token(1000 + number) }
                if number % 4 == 3 { registration.profile.topics = ["weather"] }
                return registration
            }
            let new = try (0..<40).map { number in
                try Self.registration("new \(number)", token: 100 + number, app: apps[number % 2])
            }
            let missing = try (0..<10).map { number in
                try Self.registration("missing \(number)", token: 200 + number, app: "com.example.missing")
            }
            let twice = try (0..<20).map { number in
                try Self.registration("twice \(number / 2)", token: 300 + number, app: apps[number / 2 % 2])
            }
            let sharing = try (0..<20).map { number in
                try Self.registration("sharing \(number)", token: 400 + number / 2)
            }
            var calls = (changed + new + missing + twice + sharing).enumerated().map { place, registration in
                Call(registration: registration, seconds: Double(1 + place))
            }
            var random = SeededRandom(seed: 7)
            calls.shuffle(using: &random)
            let results = try await Self.register(calls, in: store)
            for call in results {
                let (registration, id) = (call.registration, call.registration.installation.rawValue)
                guard let device = try? call.result?.get() else {
                    #expect(registration.app == "com.example.missing", "an app that exists: \(id)")
                    continue
                }
                #expect(registration.app != "com.example.missing", "an app that does not exist: \(id)")
                #expect(
                    device.installation == registration.installation && device.app == registration.app,
                    "the device"
                )
                #expect(device.token == registration.token && device.profile == registration.profile, "its data: \(id)")
                #expect(device.registeredAt == StoreFixtures.after(call.seconds), "registeredAt of \(id)")
                #expect(device.seenAt == device.registeredAt && device.status == .active, "its state: \(id)")
                if id.hasPrefix("known") { #expect(device.createdAt == StoreFixtures.now, "createdAt of \(id)") }
                if id.hasPrefix("new") { #expect(device.createdAt == device.registeredAt, "createdAt of \(id)") }
                let stored = try await store.device(registration.installation, of: registration.app)
                if !id.hasPrefix("twice"), !id.hasPrefix("sharing") { #expect(stored == device, "as stored: \(id)") }
            }
            for number in 0..<10 {
                let devices = try results.filter { $0.registration.installation.rawValue == "twice \(number)" }
                    .map { try #require($0.result).get() }
                #expect(Set(devices.map(\.createdAt)).count == 1, "the first registration of two")
                #expect(devices.count { $0.createdAt == $0.registeredAt } == 1, "how many of the two were new")
                let stored = try await store.device(devices[0].installation, of: devices[0].app)
                #expect(stored?.createdAt != stored?.registeredAt, "which of the two was last")
                #expect(devices.contains { $0 == stored }, "the result of the last one")
                let sharing = try results.filter {
                    ["sharing \(2 * number)", "sharing \(2 * number + 1)"].contains(
                        $0.registration.installation.rawValue
                    )
                }
                .map { try #require($0.result).get() }
                var left: [Device] = []
                for device in sharing {
                    if let stored = try await store.device(device.installation, of: device.app) { left.append(stored) }
                }
                #expect(left.count == 1 && sharing.contains { $0 == left.first }, "the only holder of the token")
            }
        }
    }

    private static func register(_ calls: [Call], in store: Store) async throws -> [Call] {
        try await withThrowingTaskGroup(of: Call.self) { group in
            for call in calls {
                group.addTask {
                    var call = call
                    do {
                        let now = StoreFixtures.after(call.seconds)
                        call.result = .success(try await store.register(call.registration, now: now))
                    } catch let error as StoreError where error.code == .notFound {
                        call.result = .failure(error)
                    }
                    return call
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("a registration that differs in one value is stored and returned", arguments: TestStoreBackend.allCases)
    func oneDifference(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let changes: [(inout DeviceRegistration) throws -> Void] = [
                { _ in }, { $0.profile.platform = .iPadOS }, { $0.profile.appVersion = "2.9" },
                { $0.profile.systemVersion = nil }, { $0.profile.locale = "fr" },
                { $0.profile.timeZone = "Asia/Tokyo" },
                { $0.profile.userID = "bob" }, { $0.profile.userID = nil }, { $0.profile.tags["B"] = "b" },
                { $0.profile.tags["city"] = nil }, { $0.profile.topics.remove("news") },
                { $0.profile.topics = ["\"", "\\", "a/b"] }, { $0.token = try StoreFixtures.token(2) },
                { $0.environment = .sandbox }, { $0.profile = DeviceProfile() }, { _ in },
                { $0.profile = Self.profile },
            ]
            var registration = try Self.registration("phone", token: 1, profile: Self.profile)
            for (number, change) in changes.enumerated() {
                try change(&registration)
                let device = try await store.register(registration, now: StoreFixtures.after(Double(number)))
                #expect(device.createdAt == StoreFixtures.now, "createdAt after change \(number)")
                #expect(device.profile == registration.profile, "the profile after change \(number)")
                let stored = try await store.device("phone", of: StoreFixtures.app)
                #expect(stored == device, "the device after change \(number)")
            }
            let old = try await store.targets(of: StoreFixtures.app, users: ["bob"])
            #expect(old.isEmpty, "the devices of a user who is no longer registered")
        }
    }

    @Test("a registration without a change updates the times only, which no index has")
    func unchanged() async throws {
        try await withStore(.sqlite) { store in
            try await store.addSampleApp()
            let registration = try Self.registration("phone", token: 1, profile: Self.profile)
            try await store.register(registration, now: StoreFixtures.now)
            let log = StatementLog()
            let recorded = RecordedStore(
                sql: SQLDatabase(DecoratedDriver(store.sql.driver) { RecordingConnection($0, log) })
            )
            _ = try await recorded.register(registration, now: StoreFixtures.after(1))
            var late = registration
            late.registeredAt = StoreFixtures.after(2)
            #expect(try await recorded.register([late], now: StoreFixtures.after(3)) == 1, "how many were stored")
            let texts = log.texts.withLock { $0 }
            #expect(texts.count == 3, "the number of an app, the device, and its times")
            #expect(texts.contains("UPDATE devices SET registered_at = $1, seen_at = $1 WHERE number = $2"))
            #expect(texts.count { !$0.hasPrefix("SELECT") } == 1, "the statements that change something")
            let device = try await store.device("phone", of: StoreFixtures.app)
            #expect(device?.seenAt == StoreFixtures.after(2), "seenAt")
        }
    }

    @Test("many registrations in one call have the effect of one call each", arguments: TestStoreBackend.allCases)
    func oneByOne(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            var random = SeededRandom(seed: 11)
            for step in 0..<20 {
                let registrations = try (0..<40).map { _ in
                    let number = Int.random(in: 0..<8, using: &random)
                    var registration = try Self.registration(
                        "device \(number)",
                        token: .random(in: 0..<8, using: &random)
                    )
                    registration.environment = Bool.random(using: &random) ? .production : .sandbox
                    registration.profile.topics = Bool.random(using: &random) ? ["news"] : []
                    registration.profile.locale = Bool.random(using: &random) ? "de" : nil
                    if Bool.random(using: &random) {
                        registration.registeredAt = StoreFixtures.after(
                            Double(step + .random(in: -2...2, using: &random))
                        )
                    }
                    return registration
                }
                let now = StoreFixtures.after(Double(step))
                let count = try await store.register(registrations, now: now)
                var sum = 0
                for registration in registrations {
                    var other = registration
                    other.app = StoreFixtures.otherApp
                    sum += try await store.register([other], now: now)
                }
                #expect(count == sum, "how many were stored in step \(step)")
                let devices = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 100).elements
                let others = try await store.devices(of: StoreFixtures.otherApp, in: nil, after: nil, limit: 100)
                    .elements
                #expect(devices.map(Self.description) == others.map(Self.description), "the devices after step \(step)")
            }
        }
    }

    private static func description(_ device: Device) -> String {
        "\(device.installation) \(device.target) \(device.profile) \(device.createdAt) \(device.registeredAt)"
    }

    @Test("concurrent calls add one endpoint for a token", arguments: TestStoreBackend.allCases)
    func endpoints(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let results = try await withThrowingTaskGroup(of: (device: Device, isNew: Bool).self) { group in
                for number in 0..<60 {
                    let id = DeviceID(unchecked: "endpoint \(number)")
                    let draft = try PlatformFixtures.endpoint(id, token: number / 3)
                    group.addTask { try await store.addEndpoint(draft, now: StoreFixtures.now) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let devices = Dictionary(grouping: results, by: \.device.token)
            #expect(devices.count == 20, "the number of tokens")
            for (_, results) in devices {
                #expect(Set(results.map(\.device)).count == 1, "the device of a token")
                #expect(results.count { $0.isNew } == 1, "how many calls added it")
            }
        }
    }

    @Test("PostgreSQL has statistics of the devices after the first import, and again when there are many more")
    func statistics() async throws {
        try await withStore(.postgres) { store in
            try await store.addSampleApp()
            for (devices, least) in [(0..<100, 1), (100..<4000, 1), (4000..<4100, 1000)] {
                try await store.register(devices.map { try StoreFixtures.registration($0) }, now: StoreFixtures.now)
                let count = try await store.sql.read { reader in
                    try reader.first("SELECT reltuples::bigint AS count FROM pg_class WHERE oid = 'devices'::regclass")?
                        .int64("count")
                }
                #expect(count ?? 0 >= least, "after device \(devices.upperBound)")
            }
        }
    }

    private static func registration(
        _ installation: String,
        token number: Int,
        app: AppID = StoreFixtures.app,
        profile: DeviceProfile = DeviceProfile()
    ) throws -> DeviceRegistration {
        let id = try DeviceID(validating: installation)
        return try StoreFixtures.registration(id, token: number, app: app, profile: profile)
    }
}
