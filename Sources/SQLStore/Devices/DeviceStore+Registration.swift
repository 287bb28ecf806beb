// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension DeviceStore where Self: SQLBacked {
    @discardableResult
    public func register(_ registration: DeviceRegistration, now: Date) async throws -> Device {
        var call = RegistrationCall(registration: registration, now: now.keptToMilliseconds)
        call.registration.registeredAt = nil
        let stored = try await self.sql.driver.groups.registrations.run(call) { calls in
            try await self.sql.write(retriesConflicts: true) { try $0.register(calls) }
        }.get()
        var device = Device(call.registration, createdAt: stored.createdAt, now: call.now)
        device.userData = stored.userData
        return device
    }

    @discardableResult
    public func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int {
        try await self.sql.write(in: .bulk, retriesConflicts: true) { transaction in
            let calls = registrations.map { RegistrationCall(registration: $0, now: now) }
            let apps = try transaction.lockedNumbers(of: calls)
            for id in Set(registrations.map(\.app)) where apps[id] == nil { throw StoreError.noApp(id) }
            return try transaction.store(calls, apps: apps).count { $0 != nil }
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
    let userData: String?
}

extension SQLTransaction {
    /// Registers the devices of several calls. A call for an app that does not exist fails alone.
    fileprivate func register(_ calls: [RegistrationCall]) throws -> [Result<StoredRegistration, StoreError>] {
        let stored = try self.store(calls, apps: self.lockedNumbers(of: calls))
        return zip(calls, stored).map { call, stored in
            stored.map { .success($0) } ?? .failure(.noApp(call.registration.app))
        }
    }

    /// The numbers of the apps that exist; nothing can remove these before the transaction ends.
    fileprivate func lockedNumbers(of calls: [RegistrationCall]) throws -> [AppID: Int64] {
        let ids = Set(calls.map(\.registration.app)).sorted()
        let rows = try self.rows(
            "SELECT id, number FROM apps WHERE id \(each: ids)\(lock: " ORDER BY number FOR KEY SHARE")"
        )
        return try rows.reduce(into: [:]) { $0[AppID(unchecked: try $1.string("id"))] = try $1.int64("number") }
    }

    /// Stores registrations with the effect of one after the other.
    ///
    /// - Returns: a value for each; `nil` if its app is missing, or a stored device is later than it.
    fileprivate func store(_ calls: [RegistrationCall], apps: [AppID: Int64]) throws -> [StoredRegistration?] {
        guard self.dialect == .sqlite else { return try self.storeInRounds(calls, apps: apps) }
        var nextNumbers: [Int64: Int64] = [:]
        return try calls.map { call in
            guard let app = apps[call.registration.app] else { return nil }
            return try self.store(call, app: app, nextNumber: &nextNumbers[app])
        }
    }
}
