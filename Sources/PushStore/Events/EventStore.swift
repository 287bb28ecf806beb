// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
public import Foundation
public import PushModel

/// The event feed: events in an order that never changes, kept for a while.
///
/// An event is written in the transaction of its change.
///
/// **A cursor never skips an event.** After ``events(of:after:limit:kinds:)`` has returned a cursor, no event of that
/// app becomes visible before it. So PostgreSQL assigns the numbers of an app's events under a lock of its feed, as the
/// last step before the commit. Ordering by transaction instead would need no lock, but one long transaction, even of
/// another database, would delay the feeds of all apps.
public protocol EventStore: Sendable {
    /// Appends events that nothing else is stored with, in their order; signals ``StoreChange/eventsAppended(_:)``.
    func append(_ events: [NewEvent]) async throws

    /// A part of an app's feed, the oldest event first.
    ///
    /// With a filter, the store looks through at most 10,000 events for one answer, which may be empty although more
    /// follow. Without `cursor`, the page begins at the oldest event that is kept. So does the page of a cursor before
    /// ``EventPage/oldest``, which has missed events. Without `kinds`, the page has events of all kinds.
    func events(of app: AppID, after cursor: EventCursor?, limit: Int, kinds: Set<EventType>?) async throws -> EventPage

    /// Returns where the last `count` events of an app's feed begin: a reader that starts there receives them, and all
    /// new ones.
    func cursor(of app: AppID, beforeLast count: Int) async throws -> EventCursor

    /// Removes old events of all apps, the oldest first, in several short transactions.
    ///
    /// A webhook that has not sent them yet is moved past them, and counts them as dropped. Removes events before
    /// `time`, and more until each app has at most `count` events.
    /// - Throws: ``StoreError``; earlier removals are not undone.
    @discardableResult
    func pruneEvents(before time: Date, keeping count: Int) async throws -> Int
}

extension EventStore {
    /// Returns the end of an app's feed: a reader that starts there receives only new events.
    public func latestEvent(of app: AppID) async throws -> EventCursor { try await self.cursor(of: app, beforeLast: 0) }
}

/// A part of an app's feed, and where the next part begins.
public struct EventPage: Hashable, Sendable {
    public let events: [Event]

    /// The value of `after` for the next page, now or when there are more events.
    public let next: EventCursor
    public let hasMore: Bool

    /// The oldest cursor after which every event is still stored; a reader before it has missed events.
    public let oldest: EventCursor

    public init(events: [Event], next: EventCursor, hasMore: Bool, oldest: EventCursor) {
        self.events = events
        self.next = next
        self.hasMore = hasMore
        self.oldest = oldest
    }
}

extension Event {
    package init(stored row: StoredRow, app: AppID) throws {
        guard let data = try? JSONValue(json: Array(try row.string("data").utf8)) else {
            throw StoreError.damaged("event")
        }
        self.init(
            cursor: EventCursor(sequence: try row.int64("number")),
            app: app,
            time: try row.date("time"),
            kind: EventType(rawValue: try row.string("kind")),
            data: data
        )
    }
}

extension NewEvent {
    /// The value of the column `data`; throws ``StoreError`` `.invalid`.
    package var storedData: String {
        get throws {
            do {
                return String(decoding: try self.data.json(), as: UTF8.self)
            } catch {
                throw StoreError.invalid("The data of an event cannot be written: \(error.message)")
            }
        }
    }

    /// The event of a changed device; `nil` for an active one.
    package init?(_ device: DeviceStatusChange, app: AppID, now: Date) {
        let told: (kind: EventType, reason: RejectionReason, since: Date)
        switch device.status {
        case .active: return nil
        case .suspect(let reason, let since): told = (.deviceSuspected, reason, since)
        case .invalid(let reason, let since): told = (.deviceInvalidated, reason, since)
        }
        self = .device(
            told.kind,
            device.installation,
            of: app,
            environment: device.environment,
            reason: told.reason,
            since: told.since,
            time: now
        )
    }
}

package struct DeviceStatusChange: Sendable {
    package let installation: DeviceID
    package let environment: APNsEnvironment
    package let container: String
    package let status: DeviceStatus

    package init(stored row: StoredRow) throws {
        self.installation = try row.identifier("installation")
        self.environment = APNsEnvironment(stored: try row.number("environment"))
        self.container = try row.string("container")
        self.status = try DeviceStatus(stored: row)
    }
}

package enum EventFeed {
    /// The most events that are looked through for one answer.
    package static let maximumScan = 10_000

    /// How many events one transaction removes: others wait for it.
    package static let pruningStep = 2000
}
