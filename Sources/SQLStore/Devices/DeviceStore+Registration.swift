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
                return zip(calls, try transaction.store(calls, requiresApps: false)).map { call, outcome in
                    switch outcome {
                    case .stored(let stored): .success(stored)
                    case .refused(let refusal): .failure(refusal)
                    case .skipped, nil: .failure(StoreError.noApp(call.registration.app))
                    }
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
            return try transaction.store(calls, requiresApps: true).count { outcome in
                switch outcome {
                case .stored: return true
                case .skipped, nil: return false
                case .refused(let refusal): throw refusal
                }
            }
        }
    }
}

/// A registration with the time of its call.
struct RegistrationCall: Sendable {
    var registration: DeviceRegistration
    let now: Date

    /// The secret to store with the device, once its access is checked.
    var secret: [UInt8]?

    init(registration: DeviceRegistration, now: Date) {
        self.registration = registration
        self.now = now
    }

    /// The stored time of the registration.
    var time: Date { self.registration.registeredAt ?? self.now }

    /// The secret to store with the device, which has this one; `isNew` if there is no such device.
    func secret(replacing stored: [UInt8]?, isNew: Bool) throws(DeviceAccessError) -> [UInt8]? {
        try self.registration.access.secret(replacing: stored, isNew: isNew, now: self.now)
    }
}

enum RegistrationOutcome: Sendable {
    case stored(StoredRegistration)
    /// A stored device is later than the registration.
    case skipped
    case refused(DeviceAccessError)
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
    /// - Returns: the outcome of each; `nil` if its app is missing.
    fileprivate func store(_ calls: [RegistrationCall], requiresApps: Bool) throws -> [RegistrationOutcome?] {
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
