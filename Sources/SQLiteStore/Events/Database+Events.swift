// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
import PushModel
import PushStore

/// A device whose status was changed by what APNs said.
struct DeviceChange {
    let installation: String
    let environment: APNsEnvironment
    let status: DeviceStatus
}

extension Database {
    /// Appends an event, and tells that the app's feed has grown.
    func append(_ event: EventDraft, app: Int64, signalling changes: inout [StoreChange]) throws {
        try self.insert(event, app: app)
        changes.tellOfEvents(event.app)
    }

    /// Appends what became of devices.
    func append(
        _ devices: [DeviceChange],
        app: Int64,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        guard !devices.isEmpty else { return }
        let id = try self.id(ofApp: app)
        for device in devices {
            if let event = EventDraft(device, app: id, now: now) { try self.insert(event, app: app) }
        }
        changes.tellOfEvents(id)
    }

    /// A notification is settled: appends that with what its targets came to, and signals both.
    func settled(
        _ notification: NotificationID,
        app: Int64,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        let counts = try self.counts(of: notification)
        let event = EventDraft.settled(notification, app: try self.id(ofApp: app), counts: counts, time: now)
        changes.append(.notificationSettled(notification))
        try self.append(event, app: app, signalling: &changes)
    }

    /// The id of the app to which tables refer by a number.
    func id(ofApp number: Int64) throws -> AppID {
        guard
            let row = try self.row("SELECT id FROM apps WHERE number = ?", [number]),
            let id = AppID(rawValue: row["id"])
        else { throw StoreError.damaged("app") }
        return id
    }

    private func insert(_ event: EventDraft, app: Int64) throws {
        let data: [UInt8]
        do {
            data = try event.data.json()
        } catch {
            throw StoreError(code: .invalid, message: "The data of an event cannot be written: \(error.message)")
        }
        try self.run(
            "INSERT INTO events (app, time, kind, data) VALUES (?, ?, ?, ?)",
            [app, event.time.millisecondsSince1970, event.kind.rawValue, String(decoding: data, as: UTF8.self)]
        )
    }
}

extension [StoreChange] {
    /// Tells that an app's feed has grown: once in a transaction, and behind what the events tell of.
    fileprivate mutating func tellOfEvents(_ app: AppID) {
        let change = StoreChange.eventsAppended(app)
        self.removeAll { $0 == change }
        self.append(change)
    }
}

extension EventDraft {
    fileprivate init?(_ device: DeviceChange, app: AppID, now: Date) {
        let told: (kind: EventKind, reason: RejectionReason, since: Date)
        switch device.status {
        case .active: return nil
        case .suspect(let reason, let since): told = (.deviceSuspected, reason, since)
        case .invalid(let reason, let since): told = (.deviceInvalidated, reason, since)
        }
        self = .device(
            told.kind,
            InstallationID(unchecked: device.installation),
            of: app,
            environment: device.environment,
            reason: told.reason,
            since: told.since,
            time: now
        )
    }
}
