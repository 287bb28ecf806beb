// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel

/// The stored form of activities.
///
/// Activity states: 0 pending, 1 active, 2 ended, 3 expired. Participant states: 0 starting, 1 active, 2 ended.
/// Origins: 0 app, 1 push, 2 channel. Transition states: 0 scheduled, 1 completed, 2 skipped, 3 cancelled. A relevance
/// score is stored as its 64 bits.
extension ActivityLifecycle {
    package init(stored row: StoredRow) throws {
        let relevance = try row.integer("relevance_score").map { Double(bitPattern: UInt64(bitPattern: $0)) }
        let alert = try row.openedText("alert").map { try StoredJSON.decode(ActivityAlert.self, $0, "alert") }
        guard relevance?.isFinite ?? true, alert?.priority.isStorable ?? true else {
            throw StoreError.damaged("activity")
        }
        self.init(
            state: try row.element("state", of: State.order, in: "activity"),
            version: try row.number("version", in: StoredLimit.counts),
            timestamp: Int64(try row.number("timestamp")),
            contentState: try row.openedBytes("content_state").map { try RawJSONObject(stored: $0) },
            staleDate: try row.optionalNumber("stale_date").map(Int64.init),
            relevanceScore: relevance,
            priority: Priority(rawValue: try row.number("priority")),
            budget: try row.integer("budget").map { try PushBudget(stored: $0) },
            alert: alert,
            dismissalDate: try row.optionalNumber("dismissal_date").map(Int64.init),
            startedAt: try row.optionalDate("started_at"),
            expiresAt: try row.optionalDate("expires_at"),
            endedAt: try row.optionalDate("ended_at")
        )
    }

    package var storedRelevance: Int64? { self.relevanceScore.map { Int64(bitPattern: $0.bitPattern) } }
}

extension PushBudget {
    /// The number in which it is stored: the policy in 2 bits, above it the limits in 16 bits each.
    package var stored: Int64 {
        let policy = Policy.allCases.firstIndex(of: self.policy) ?? 0
        return Int64(policy) | Int64(self.limits.hourly) << 2 | Int64(self.limits.frequentHourly) << 18
    }

    package init(stored number: Int64) throws {
        let policies = Policy.allCases
        guard policies.indices.contains(Int(number & 3)), number >> 34 == 0 else {
            throw StoreError.damaged("activity")
        }
        self.init(
            policy: policies[Int(number & 3)],
            limits: Limits(hourly: Int(number >> 2 & 0xFFFF), frequentHourly: Int(number >> 18 & 0xFFFF))
        )
    }
}

extension ActivityLifecycle.State {
    fileprivate static let order: [Self] = [.pending, .active, .ended, .expired]

    /// The number in which it is stored; those from 2 on are over.
    package var stored: Int { Self.order.firstIndex(of: self) ?? 0 }
}

extension Activity {
    /// Reads the columns of the table `activities`; instants are stored apart.
    package init(stored row: StoredRow, instants: [InstantName: Date]) throws {
        self.init(
            id: try row.identifier("id"),
            app: try row.identifier("app_id"),
            attributesType: try row.identifier("attributes_type"),
            attributes: try row.openedBytes("attributes").map { try RawJSONObject(stored: $0) },
            startAlert: try row.openedText("start_alert").map {
                try StoredJSON.decode(LiveActivityAlert.self, $0, "alert")
            },
            instants: instants,
            lifecycle: try ActivityLifecycle(stored: row),
            createdAt: try row.date("created_at"),
            channel: try ActivityChannel.read(row)
        )
    }
}

extension ActivityChannel {
    package static func read(_ row: StoredRow) throws -> ActivityChannel? {
        try row.text("channel").map { try StoredJSON.decode(ActivityChannel.self, $0, "channel of an activity") }
    }
}

extension ActivityParticipant.Origin {
    fileprivate static let order: [Self] = [.app, .push, .channel]

    package var stored: Int { Self.order.firstIndex(of: self) ?? 0 }
}

extension ActivityParticipant {
    package init(stored row: StoredRow) throws {
        let state: State =
            switch try row.number("state") {
            case 0: .starting
            case 1: .active
            case 2: .ended(reason: try row.text("reason") ?? "")
            default: throw StoreError.damaged("participant of an activity")
            }
        let origin = try row.element("origin", of: Origin.order, in: "participant of an activity")
        self.init(
            installation: origin == .channel ? Self.channelInstallation : try row.identifier("installation"),
            environment: APNsEnvironment(stored: try row.number("environment")),
            token: try row.openedBytes("token").map { try DeviceToken(storedBytes: $0) },
            tokenIssuedAt: try row.optionalDate("token_issued_at"),
            state: state,
            origin: origin,
            frequentUpdates: try row.integer("frequent_updates").map { $0 == 1 },
            lastSentVersion: try row.number("sent_version", in: StoredLimit.counts),
            formerVersion: try row.optionalNumber("former_version", in: StoredLimit.counts),
            // The budget starts over if they are corrupt.
            recent: HourlyPushCounter(bytes: try row.bytes("recent_pushes")) ?? HourlyPushCounter(),
            joinedAt: try row.date("joined_at"),
            startedAt: try row.optionalDate("started_at")
        )
    }

    package var storedState: (number: Int, reason: String?) {
        switch self.state {
        case .starting: (0, nil)
        case .active: (1, nil)
        case .ended(let reason): (2, reason)
        }
    }
}

extension PushToStartToken {
    package init(stored row: StoredRow, app: AppID) throws {
        self.init(
            app: app,
            installation: try row.identifier("installation"),
            attributesType: try row.identifier("attributes_type"),
            token: try DeviceToken(storedBytes: row.openedBlob("token")),
            environment: APNsEnvironment(stored: try row.number("environment")),
            issuedAt: try row.date("issued_at"),
            supportsChannels: try row.number("supports_channels") == 1
        )
    }
}

extension ActivityTransition {
    private static let order: [State] = [.scheduled, .completed, .skipped, .cancelled]

    /// Reads the columns of the table `activity_transitions`.
    ///
    /// A transition with a corrupt plan has none, so that the others are executed. It is ended by the key of its row,
    /// which is unique.
    package init(stored row: StoredRow) throws {
        let state = try row.element("state", of: Self.order, in: "transition")
        let key = TransitionKey(unchecked: try row.string("key"))
        let dueAt = try row.clampedDate("due_at")
        let scheduledAt = try row.clampedDate("planned_at") ?? Date(millisecondsSince1970: 0)
        let decoded = try? StoredTransition.decode(try row.openedText("plan") ?? "")
        let plan = decoded?.key == key ? decoded : nil
        self.init(
            key: key,
            time: plan?.time ?? .at(dueAt ?? scheduledAt),
            change: plan?.change ?? ActivityChange(),
            misfire: plan?.misfire ?? .coalesce,
            state: state,
            dueAt: dueAt,
            scheduledAt: scheduledAt,
            endedAt: try row.clampedDate("ended_at"),
            isReadable: plan != nil
        )
    }

    package var storedState: Int { Self.order.firstIndex(of: self.state) ?? 0 }
}

extension TimelineEntry {
    /// Reads the columns of the table `activity_timeline`, without the pushes.
    package init(stored row: StoredRow) throws {
        var changes: [JSONValue] = []
        if let text = try row.openedText("changes"), case .array(let told)? = try? JSONValue(json: Array(text.utf8)) {
            changes = told
        }
        self.init(
            sequence: try row.number("sequence"),
            time: try row.date("time"),
            kind: Kind(rawValue: try row.string("kind")),
            version: try row.number("version"),
            installation: try row.text("installation").flatMap { DeviceID(rawValue: $0) },
            detail: try row.text("detail"),
            changes: changes,
            pending: try row.number("waiting")
        )
    }
}

/// The stored form of the devices of a batch: their numbers by position, 64 bits each.
package enum ParticipantList {
    package static func encode(_ numbers: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * numbers.count)
        for number in numbers { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
        return bytes
    }

    package static func decode(_ bytes: [UInt8]) throws -> [Int64] {
        guard bytes.count.isMultiple(of: 8) else { throw StoreError.damaged("participants of a batch") }
        return stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}

extension RawJSONObject {
    init(stored bytes: some Sequence<UInt8>) throws {
        self = try decodeStored("content of an activity") { try RawJSONObject(storedJSON: Array(bytes)) }
    }
}

extension DeviceToken {
    init(storedBytes bytes: [UInt8]) throws {
        self = try decodeStored("token") { try DeviceToken(bytes: bytes) }
    }
}

/// Reads a value that was checked before it was stored.
func decodeStored<Value>(_ what: String, _ read: () throws -> Value) throws -> Value {
    do {
        return try read()
    } catch {
        throw StoreError.damaged(what, cause: error)
    }
}

/// The pushes of an entry of a timeline.
///
/// Each batch is stored as its ID, its first position and the position after its last one; a position has 16 bits.
package struct StoredPushReferences: Sendable {
    private static let size = 20

    package private(set) var ranges: [(batch: BatchID, targets: Range<Int>)] = []

    package init() {}

    package init(stored row: StoredRow) throws {
        let bytes = try row.bytes("sends") ?? []
        guard bytes.count.isMultiple(of: Self.size) else { throw StoreError.damaged("timeline") }
        for start in stride(from: 0, to: bytes.count, by: Self.size) {
            let numbers = [16, 18].map { Int(bytes[start + $0]) << 8 | Int(bytes[start + $0 + 1]) }
            guard
                let batch = APNsID(stored: Array(bytes[start..<start + 16])).flatMap(BatchID.init),
                numbers[0] <= numbers[1]
            else { throw StoreError.damaged("timeline") }
            self.ranges.append((batch, numbers[0]..<numbers[1]))
        }
    }

    package var count: Int { self.ranges.reduce(0) { $0 + $1.targets.count } }

    /// The stored form; `nil` if nothing was sent.
    package var encoded: [UInt8]? {
        if self.ranges.isEmpty { return nil }
        var bytes: [UInt8] = []
        for range in self.ranges {
            bytes += range.batch.value.stored
            for number in [range.targets.lowerBound, range.targets.upperBound] {
                bytes += [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
            }
        }
        return bytes
    }

    /// Adds a push; the caller adds the pushes of a batch in their order.
    package mutating func add(_ position: Int, of batch: BatchID) {
        if let last = self.ranges.last, last.batch == batch, last.targets.upperBound == position {
            self.ranges[self.ranges.count - 1].targets = last.targets.lowerBound..<position + 1
        } else {
            self.ranges.append((batch, position..<position + 1))
        }
    }
}
