// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore: EventStore {
    @discardableResult
    public func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        // What is to go is found beside the changes; only the removal itself is one.
        let ends = try await self.read { database in
            try database.rows("SELECT number FROM apps").compactMap { row -> (app: Int64, end: Int64)? in
                let app = try row.int64("number")
                let end = try database.pruningEnd(ofApp: app, before: time, keeping: max(0, count))
                return end.map { (app, $0) }
            }
        }
        var removed = 0
        for (app, end) in ends {
            var step = EventFeed.pruningStep
            while step == EventFeed.pruningStep {
                step = try await self.write(in: .bulk) {
                    try $0.pruneEvents(ofApp: app, to: end, limit: EventFeed.pruningStep)
                }
                removed += step
            }
        }
        return removed
    }
}

extension Database {
    /// The last event of an app that is to go, or `nil`.
    fileprivate func pruningEnd(ofApp app: Int64, before time: Date, keeping count: Int) throws -> Int64? {
        // The index is walked from its old end to the first event that stays.
        let young = try self.row(
            "SELECT number FROM events WHERE app = ? AND time >= ? ORDER BY number LIMIT 1",
            [app, time.millisecondsSince1970]
        )
        let last = try self.row("SELECT max(number) AS number FROM events WHERE app = ?", [app])
        guard let last = try last?.integer("number") else { return nil }
        let byAge = try young?.integer("number").map { StoredLimit.clamp($0) - 1 } ?? last
        let surplus = try self.row(
            "SELECT number FROM events WHERE app = ? ORDER BY number DESC LIMIT 1 OFFSET ?",
            [app, count]
        )
        let byCount = try surplus?.integer("number") ?? 0
        let end = max(byAge, byCount)
        let oldest = try self.row("SELECT min(number) AS number FROM events WHERE app = ?", [app])
        guard let first = try oldest?.integer("number"), first <= end else { return nil }
        return end
    }

    /// Removes some of an app's events, the oldest first.
    ///
    /// - Returns: how many were removed.
    fileprivate func pruneEvents(ofApp app: Int64, to end: Int64, limit: Int) throws -> Int {
        let row = try self.row(
            """
            SELECT max(number) AS last FROM (
                SELECT number FROM events WHERE app = ? AND number <= ? ORDER BY number LIMIT ?
            )
            """,
            [app, end, limit]
        )
        guard let last = try row?.integer("last") else { return 0 }
        try self.moveWebhooks(ofApp: app, pastEvent: last)
        let removed = try self.run("DELETE FROM events WHERE app = ? AND number <= ?", [app, last])
        try self.run(
            """
            INSERT INTO event_horizons (app, number) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET number = max(number, excluded.number)
            """,
            [app, last]
        )
        return removed
    }
}

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
