// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension DeviceStore where Self: SQLBacked {
    public func register(_ registration: DeviceRegistration, now: Date) async throws -> Device {
        var call = RegistrationCall(registration: registration, now: now.keptToMilliseconds)
        call.registration.registeredAt = nil
        let stored = try await self.sql.driver.groups.registrations.run(call) { calls, waitsBriefly in
            try await self.sql.write(retriesConflicts: true) { transaction in
                if waitsBriefly { try transaction.waitBriefly() }
                // A call for an app that does not exist fails alone.
                return zip(calls, try transaction.store(calls, requiresApps: false)).map { call, stored in
                    stored.map { Result.success($0) } ?? .failure(StoreError.noApp(call.registration.app))
                }
            }
        }.get()
        var device = Device(call.registration, createdAt: stored.createdAt, now: call.now)
        device.userData = stored.userData
        device.container = stored.container
        return device
    }

    public func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int {
        try await self.sql.write(in: .bulk, retriesConflicts: true) { transaction in
            let calls = registrations.map { RegistrationCall(registration: $0, now: now) }
            return try transaction.store(calls, requiresApps: true).count { $0 != nil }
        }
    }
}

/// A registration with the time of its call.
struct RegistrationCall: Sendable {
    var registration: DeviceRegistration
    let now: Date

    /// The stored time of the registration.
    var time: Date { self.registration.registeredAt ?? self.now }
}

/// The columns of a registered device that its registration does not determine.
struct StoredRegistration: Sendable {
    let createdAt: Date
    var userData: String?
    let container: String
}

extension StoredRegistration {
    init(stored row: StoredRow) throws {
        let createdAt = Date(millisecondsSince1970: StoredLimit.clamp(try row.int64("created_at")))
        self.init(
            createdAt: createdAt,
            userData: try row.text("user_data"),
            container: try row.string("container")
        )
    }
}

extension SQLTransaction {
    /// Stores registrations with the effect of one after the other.
    ///
    /// - Parameter requiresApps: Whether a missing app is an error; otherwise its registrations are skipped.
    /// - Returns: a value for each; `nil` if it was skipped, or a stored device is later than it.
    fileprivate func store(_ calls: [RegistrationCall], requiresApps: Bool) throws -> [StoredRegistration?] {
        let locked = try self.lockApps(Set(calls.map(\.registration.app)))
        guard self.dialect == .sqlite else {
            return try self.storeInRounds(calls, locked: locked, requiresApps: requiresApps)
        }
        let apps = try locked.appNumbers
        var newDevices: [Int64: NewDevices] = [:]
        return try calls.map { call in
            let id = call.registration.app
            guard let app = apps[id] else {
                if requiresApps { throw StoreError.noApp(id) }
                return nil
            }
            return try self.store(call, app: app, newDevices: &newDevices[app, default: NewDevices()])
        }
    }
}
