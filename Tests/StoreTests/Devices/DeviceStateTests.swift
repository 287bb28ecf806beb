// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: device states", .timeLimit(.minutes(20)))
struct DeviceStateTests {
    @Test("a 410 makes a device invalid, and it says why and since when", arguments: TestStoreBackend.allCases)
    func invalid(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let device = try await Self.device(
                in: store,
                registeredAfter: 0,
                outcome: StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 5))
            )
            #expect(device.status == .invalid(reason: .unregistered, since: StoreFixtures.after(5)), "the status")
        }
    }

    @Test("a 410 of the very millisecond of the registration counts", arguments: TestStoreBackend.allCases)
    func sameMillisecond(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let device = try await Self.device(
                in: store,
                registeredAfter: 5,
                outcome: StoreFixtures.rejection(.expiredToken, inactiveSince: StoreFixtures.milliseconds(after: 5))
            )
            #expect(device.status == .invalid(reason: .expiredToken, since: StoreFixtures.after(5)), "the status")
        }
    }

    @Test("a 410 that is older than the registration is void", arguments: TestStoreBackend.allCases)
    func outdated(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let device = try await Self.device(
                in: store,
                registeredAfter: 5.001,
                outcome: StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 5))
            )
            #expect(device.status == .active, "the status")
        }
    }

    @Test(
        "a bad token makes a device suspect, a 410 then invalid, a registration active again",
        arguments: TestStoreBackend.allCases
    )
    func suspect(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let suspect = try await Self.device(
                in: store,
                registeredAfter: 0,
                outcome: StoreFixtures.rejection(.badDeviceToken)
            )
            #expect(
                suspect.status == .suspect(reason: .badDeviceToken, since: StoreFixtures.after(9)),
                "the status after a bad token"
            )
            try await Self.settleOne(
                of: store,
                target: suspect.target,
                outcome: StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 7))
            )
            let invalid = try await store.device(suspect.installation, of: suspect.app)
            #expect(invalid?.status.isReachable == false, "whether it is reachable after the 410")
            try await Self.settleOne(
                of: store,
                target: suspect.target,
                outcome: StoreFixtures.rejection(.badDeviceToken)
            )
            let still = try await store.device(suspect.installation, of: suspect.app)
            #expect(still?.status == invalid?.status, "an invalid device after a bad token")
            let revived = try await store.register(
                StoreFixtures.registration(suspect.installation, token: 1),
                now: StoreFixtures.after(20)
            )
            #expect(revived.status == .active, "the status after the registration")
            let stored = try await store.device(suspect.installation, of: suspect.app)
            #expect(stored == revived, "the stored device after the registration")
        }
    }

    @Test(
        "a token that is bad in the device's environment, then in the other one, makes it invalid until it registers",
        arguments: TestStoreBackend.allCases
    )
    func badInBothEnvironments(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let bad = StoreFixtures.rejection(.badDeviceToken)
            let device = try await Self.device(in: store, registeredAfter: 0, outcome: bad)
            func status() async throws -> DeviceStatus? {
                try await store.device(device.installation, of: device.app)?.status
            }
            let suspect = DeviceStatus.suspect(reason: .badDeviceToken, since: StoreFixtures.after(9))
            try await Self.settleOne(of: store, target: device.target, outcome: bad)
            #expect(try await status() == suspect, "the status after two bad tokens in one environment")
            try await Self.settleOne(of: store, target: StoreFixtures.target(2, environment: .sandbox), outcome: bad)
            #expect(try await status() == suspect, "the status after another bad token in the other environment")
            let receipt = try await Self.settleOne(of: store, target: device.target.inOtherEnvironment, outcome: bad)
            let invalid = DeviceStatus.invalid(reason: .badDeviceToken, since: StoreFixtures.after(9))
            #expect(try await status() == invalid, "the status after a bad token in each environment")
            #expect(receipt.pruned == 1, "how many devices were pruned")
            #expect(receipt.suspected == 0, "how many devices were suspected")
            let registered = try await store.registered([device.target], of: device.app)
            #expect(registered == [], "whether it is sent to")
            let events = try await store.allEvents(kinds: [.deviceInvalidated, .deviceSuspected])
            #expect(events.map(\.kind) == [.deviceSuspected, .deviceInvalidated], "the events")
            try await store.register(
                StoreFixtures.registration(device.installation, token: 1),
                now: StoreFixtures.after(20)
            )
            #expect(try await status() == .active, "the status after the registration")
            try await Self.settleOne(of: store, target: device.target.inOtherEnvironment, outcome: bad)
            #expect(try await status() == .active, "the status of a device that has registered since the first one")
        }
    }

    @Test(
        "a token that is bad in the other environment alone does not change a device, as every valid token is",
        arguments: TestStoreBackend.allCases
    )
    func badInTheOtherEnvironment(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let bad = StoreFixtures.rejection(.badDeviceToken)
            let device = try await Self.device(in: store, registeredAfter: 0, environment: .sandbox, outcome: bad)
            #expect(device.status == .active, "the status after a bad token in the other environment")
            try await Self.settleOne(of: store, target: device.target, outcome: bad)
            let suspect = try await store.device(device.installation, of: device.app)
            #expect(
                suspect?.status == .suspect(reason: .badDeviceToken, since: StoreFixtures.after(9)),
                "the status after a bad token in its own environment"
            )
        }
    }

    @Test(
        "a batch with a token in both environments, where it is bad, makes its devices invalid",
        arguments: TestStoreBackend.allCases
    )
    func badInOneBatch(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for environment in APNsEnvironment.allCases {
                let name = DeviceID(unchecked: environment.rawValue)
                try await store.register(
                    StoreFixtures.registration(name, token: 1, environment: environment),
                    now: StoreFixtures.now
                )
            }
            let targets = try APNsEnvironment.allCases.map { try StoreFixtures.target(1, environment: $0) }
            let receipt = try await Self.settle(
                targets,
                in: store,
                outcome: StoreFixtures.rejection(.badDeviceToken)
            )
            for environment in APNsEnvironment.allCases {
                let name = DeviceID(unchecked: environment.rawValue)
                let device = try await store.device(name, of: StoreFixtures.app)
                #expect(device?.status.isReachable == false, "the device of \(environment)")
            }
            #expect(receipt.pruned == 2, "how many devices were pruned")
        }
    }

    @Test(
        "a rejection touches neither other environments, other apps, nor tokens that moved on",
        arguments: TestStoreBackend.allCases
    )
    func untouched(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.register(
                StoreFixtures.registration("other app", token: 1, app: StoreFixtures.otherApp),
                now: StoreFixtures.now
            )
            let device = try await Self.device(
                in: store,
                registeredAfter: 0,
                environment: .sandbox,
                outcome: StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 5))
            )
            #expect(device.status == .active, "the device of the other environment")
            let other = try await store.device("other app", of: StoreFixtures.otherApp)
            #expect(other?.status == .active, "the device of the other app")
        }
    }

    @Test(
        "of targets those are registered that a device of the app has now, unless it is invalid",
        arguments: TestStoreBackend.allCases
    )
    func registered(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await Self.device(in: store, registeredAfter: 0, outcome: StoreFixtures.rejection(.badDeviceToken))
            try await store.addSampleApp(StoreFixtures.otherApp)
            let registrations = [
                try StoreFixtures.registration("invalid", token: 2),
                try StoreFixtures.registration("sandbox", token: 3, environment: .sandbox),
                try StoreFixtures.registration("elsewhere", token: 4, app: StoreFixtures.otherApp),
                try StoreFixtures.registration("removed", token: 5),
                try StoreFixtures.registration("moved on", token: 6),
            ]
            for registration in registrations { try await store.register(registration, now: StoreFixtures.now) }
            let gone = StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 5))
            try await Self.settleOne(of: store, target: StoreFixtures.target(2), outcome: gone)
            try await store.removeDevice("removed", of: StoreFixtures.app)
            try await store.register(StoreFixtures.registration("moved on", token: 7), now: StoreFixtures.after(9))
            let sandbox = try StoreFixtures.target(3, environment: .sandbox)
            let targets = try [1, 1, 2, 3, 4, 5, 6].map { try StoreFixtures.target($0) } + [sandbox]
            let found = try await store.registered(targets, of: StoreFixtures.app)
            let expected: Set = [try StoreFixtures.target(1), sandbox]
            #expect(found == expected, "those of the app")
            let registered = try await store.registered(targets, of: "com.example.none")
            #expect(registered == [], "those of no app")
            let registeredOfNone = try await store.registered([], of: StoreFixtures.app)
            #expect(registeredOfNone == [], "those of none")
        }
    }

    /// Registers a device with token 1, settles a send to that token in production, and answers the device.
    private static func device(
        in store: any PushStore,
        registeredAfter seconds: Double,
        environment: APNsEnvironment = .production,
        outcome: Outcome
    ) async throws -> Device {
        try await store.addSampleApp()
        try await store.register(
            StoreFixtures.registration("phone", token: 1, environment: environment),
            now: StoreFixtures.after(seconds)
        )
        try await Self.settleOne(of: store, target: StoreFixtures.target(1), outcome: outcome)
        return try #require(try await store.device("phone", of: StoreFixtures.app), "the device")
    }

    /// Sends to one target, and settles it with an outcome 9 seconds after the beginning.
    @discardableResult
    static func settleOne(of store: any PushStore, target: Target, outcome: Outcome) async throws -> SettlementResult {
        try await self.settle([target], in: store, outcome: outcome)
    }

    private static func settle(
        _ targets: [Target],
        in store: any PushStore,
        outcome: Outcome
    ) async throws -> SettlementResult {
        let plan = try BatchedNotification(
            app: StoreFixtures.app,
            lane: .urgent,
            headers: NotificationHeaders(topic: Topic(StoreFixtures.app.rawValue)),
            payload: APNsPayload(json: "{}"),
            targets: targets,
            now: StoreFixtures.now
        )
        try await store.accept(plan)
        let claimed = try #require(try await store.claim().first, "the batch")
        let failures = targets.indices.map { Settlement.Failure(index: $0, outcome: outcome) }
        let settlement = Settlement(of: claimed, range: targets.indices, failures: failures)
        return try await store.settle(settlement, now: StoreFixtures.after(9))
    }
}
