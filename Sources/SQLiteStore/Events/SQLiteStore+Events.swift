// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite

extension Database {
    /// Appends an event, and tells that the app's feed has grown.
    func append(_ event: EventDraft, app: Int64, signalling changes: inout [StoreChange]) throws {
        try self.insert(event, app: app)
        changes.tellOfEvents(event.app)
    }

    /// Appends what became of devices as a notification was sent to them.
    func append(
        _ devices: [DeviceChange],
        sending notification: NotificationID,
        app: Int64,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        guard !devices.isEmpty else { return }
        let id = try self.id(ofApp: app)
        for device in devices {
            if let event = EventDraft(device, app: id, now: now) { try self.insert(event, app: app) }
            guard case .invalid = device.status else { continue }
            try self.tell(
                .failed,
                device.installation,
                app: app,
                in: device.environment,
                sending: notification,
                now: now
            )
        }
        changes.tellOfEvents(id)
    }

    /// A notification is settled, and kept for a while from now on: appends that with what its targets came to, and
    /// signals both.
    func settled(
        _ notification: NotificationID,
        app: Int64,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        let counts = try self.counts(of: notification).counts(of: notification)
        let event = EventDraft.settled(notification, app: try self.id(ofApp: app), counts: counts, time: now)
        if let failure = EndpointFailure(of: notification, counts: counts) {
            try self.tell(of: failure, app: app, now: now)
        }
        try self.keep(notification, app: app, settledAt: now)
        changes.append(.notificationSettled(notification))
        try self.append(event, app: app, signalling: &changes)
    }

    /// The id of the app to which tables refer by a number.
    func id(ofApp number: Int64) throws -> AppID {
        guard let row = try self.row("SELECT id FROM apps WHERE number = ?", [number]) else {
            throw StoreError.damaged("app")
        }
        return try row.identifier("id")
    }

    func insert(_ event: EventDraft, app: Int64) throws {
        try self.run(
            "INSERT INTO events (app, time, kind, data) VALUES (?, ?, ?, ?)",
            [app, event.time.millisecondsSince1970, event.kind.rawValue, try event.storedData]
        )
    }
}
