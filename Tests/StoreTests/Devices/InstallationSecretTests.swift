// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: installation secrets", .timeLimit(.minutes(20)))
struct InstallationSecretTests {
    private typealias Policy = InstallationSecretPolicy

    static func secret(_ letter: Character) throws -> InstallationSecret {
        try #require(InstallationSecret(String(repeating: letter, count: 42) + "A"))
    }

    private func registration(
        _ id: DeviceID,
        token: Int,
        secret: InstallationSecret?,
        _ policy: InstallationSecretPolicy = InstallationSecretPolicy()
    ) throws -> DeviceRegistration {
        var registration = try StoreFixtures.registration(id, token: token)
        registration.access = .installation(secret, policy)
        return registration
    }

    @Test("only the secret of the first registration changes a device", arguments: TestStoreBackend.allCases)
    func bound(kind: TestStoreBackend) async throws {
        let (own, other) = (try Self.secret("o"), try Self.secret("x"))
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register(self.registration("phone", token: 1, secret: own), now: StoreFixtures.now)
            await #expect(throws: DeviceAccessError.secretMismatch) {
                try await store.register(self.registration("phone", token: 2, secret: other), now: StoreFixtures.now)
            }
            await #expect(throws: DeviceAccessError.secretRequired) {
                try await store.register(self.registration("phone", token: 2, secret: nil), now: StoreFixtures.now)
            }
            let kept = try await store.device("phone", of: StoreFixtures.app)
            #expect(try kept?.token == StoreFixtures.token(1))
            try await store.register(self.registration("phone", token: 3, secret: own), now: StoreFixtures.now)
            for secret in [other, nil] {
                await #expect(throws: DeviceAccessError.self) {
                    let access = DeviceAccess.installation(secret, Policy())
                    return try await store.removeDevice(
                        "phone",
                        of: StoreFixtures.app,
                        access: access,
                        now: StoreFixtures.now
                    )
                }
            }
            let access = DeviceAccess.installation(own, Policy())
            let now = StoreFixtures.now
            #expect(try await store.removeDevice("phone", of: StoreFixtures.app, access: access, now: now))
        }
    }

    @Test("a refused registration fails alone among calls that share a transaction", arguments: TestStoreBackend.allCases)
    func grouped(kind: TestStoreBackend) async throws {
        let (own, other) = (try Self.secret("o"), try Self.secret("x"))
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.register(self.registration("phone 0", token: 0, secret: own), now: StoreFixtures.now)
            let stored = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    let id = DeviceID(unchecked: "phone \(number.isMultiple(of: 4) ? 0 : number)")
                    let call = try self.registration(id, token: 100 + number, secret: other)
                    group.addTask {
                        do {
                            try await store.register(call, now: StoreFixtures.now)
                            return true
                        } catch DeviceAccessError.secretMismatch {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(stored == 30)
            #expect(try await store.device("phone 0", of: StoreFixtures.app)?.token == StoreFixtures.token(0))
        }
    }

    @Test("a device without a secret is bound by the policy of its app", arguments: TestStoreBackend.allCases)
    func policies(kind: TestStoreBackend) async throws {
        let (own, other) = (try Self.secret("o"), try Self.secret("x"))
        let dated = Policy(mode: .required, bindsUntil: StoreFixtures.after(10))
        try await withStore(kind) { store in
            try await store.addSampleApp()
            func registers(
                _ secret: InstallationSecret?,
                _ policy: InstallationSecretPolicy,
                at second: Double = 0
            ) async throws -> DeviceAccessError? {
                do {
                    let call = try self.registration("phone", token: 1, secret: secret, policy)
                    try await store.register(call, now: StoreFixtures.after(second))
                    return nil
                } catch let refusal as DeviceAccessError {
                    return refusal
                }
            }
            #expect(try await registers(nil, Policy(mode: .required)) == .secretRequired)
            #expect(try await registers(nil, Policy()) == nil, "a client of before")
            #expect(try await registers(nil, Policy()) == nil, "again")
            #expect(try await registers(own, Policy(mode: .required)) == .notBound)
            #expect(try await registers(own, dated, at: 10) == .notBound, "after the date")
            #expect(try await registers(own, dated, at: 9) == nil, "before the date")
            #expect(try await registers(other, dated, at: 9) == .secretMismatch)
            #expect(try await registers(nil, Policy()) == .secretRequired, "in the mode optional too")
        }
    }

    @Test("a backend changes each device, replaces its secret and resets it", arguments: TestStoreBackend.allCases)
    func backend(kind: TestStoreBackend) async throws {
        let (own, other) = (try Self.secret("o"), try Self.secret("x"))
        let required = Policy(mode: .required)
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let now = StoreFixtures.now
            try await store.register(self.registration("phone", token: 1, secret: own, required), now: now)
            try await store.register(StoreFixtures.registration("phone", token: 2), now: now)
            try await store.register([StoreFixtures.registration("phone", token: 3)], now: now)
            try await store.register(self.registration("phone", token: 4, secret: own, required), now: now)
            var replacing = try StoreFixtures.registration("phone", token: 5)
            replacing.access = .backend(secret: other)
            try await store.register(replacing, now: now)
            await #expect(throws: DeviceAccessError.secretMismatch) {
                try await store.register(self.registration("phone", token: 6, secret: own, required), now: now)
            }
            #expect(try await store.resetSecret(of: "phone", app: StoreFixtures.app))
            #expect(try await !store.resetSecret(of: "unknown", app: StoreFixtures.app))
            try await store.register(self.registration("phone", token: 7, secret: own, required), now: now)
            await #expect(throws: DeviceAccessError.secretMismatch) {
                try await store.register(self.registration("phone", token: 8, secret: other, required), now: now)
            }
        }
    }

    @Test("push-to-start tokens need a device and its secret, and are limited", arguments: TestStoreBackend.allCases)
    func startTokens(kind: TestStoreBackend) async throws {
        let (own, other) = (try Self.secret("o"), try Self.secret("x"))
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let now = StoreFixtures.now
            func keep(_ secret: InstallationSecret, _ type: AttributesType = "T") async throws -> DeviceAccessError? {
                do {
                    var token = try ActivityFixtures.startToken(1, token: 9)
                    token.attributesType = type
                    try await store.keep(token, access: .installation(secret, Policy()), now: now)
                    return nil
                } catch let refusal as DeviceAccessError {
                    return refusal
                }
            }
            #expect(try await keep(own) == .unknownDevice)
            let phone = ActivityFixtures.phone(1)
            try await store.register(self.registration(phone, token: 1, secret: own), now: now)
            #expect(try await keep(other) == .secretMismatch)
            for number in 0..<DeviceLimit.startTokens {
                let type = AttributesType(unchecked: "T\(number)")
                #expect(try await keep(own, type) == nil)
            }
            #expect(try await keep(own, "more") == .limit)
            #expect(try await keep(own, "T0") == nil, "a repetition")
            // Another installation of the same device.
            try await store.register(self.registration("other", token: 1, secret: other), now: now)
            let left = try await store.pushToStartTokens(of: "T0", app: StoreFixtures.app, installations: [phone])
            #expect(left.isEmpty, "the tokens went with the device")
        }
    }
}
