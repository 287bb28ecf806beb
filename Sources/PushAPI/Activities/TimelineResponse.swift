// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// An entry of a timeline, as returned by the API.
struct TimelineEntryResponse: Encodable {
    /// Pushes that were made of it.
    struct Sending: Encodable {
        let notification: String?
        let first: String
        let count: Int
        let delivered: Int?
        let rejected: [String: Int]?
        let failed: [String: Int]?

        init(_ sending: TimelineEntry.Sending) {
            let counts = sending.counts
            self.notification = sending.notification?.description
            // A stored timeline may be corrupt: limit the index to the targets that a batch can have.
            let first = min(max(0, sending.targets.lowerBound), Batch.maximumTargets - 1)
            self.first = sending.batch.apnsID(at: first).description
            self.count = sending.targets.count
            self.delivered = counts?.delivered
            let rejected = counts?.rejected.map { ($0.key.rawValue, $0.value) }
            let failed = counts?.failed.map { ($0.key.rawValue, $0.value) }
            self.rejected = rejected.map { Dictionary($0) { first, _ in first } }
            self.failed = failed.map { Dictionary($0) { first, _ in first } }
        }
    }

    let sequence: Int
    let time: Date
    let type: String
    let event: String?
    let version: Int
    let device: String?
    let detail: String?
    let changes: [JSONValue]?
    let pending: Int
    let sent: [Sending]

    init(_ entry: TimelineEntry) {
        self.sequence = entry.sequence
        self.time = entry.time
        self.type = entry.kind.rawValue
        self.event = entry.kind.event
        self.version = entry.version
        self.device = entry.installation?.rawValue
        self.detail = entry.detail
        self.changes = entry.changes.isEmpty ? nil : entry.changes
        self.pending = entry.pending
        self.sent = entry.sendings.map(Sending.init)
    }
}

extension TimelineEntry.Kind {
    /// The `event` of the pushes of this entry; `nil` if it can be any, or there is none.
    fileprivate var event: String? {
        switch self {
        case .started: "start"
        case .updated: "update"
        case .ended: "end"
        default: nil
        }
    }
}

/// A page of a timeline, as returned by the API.
struct TimelineResponse: Encodable {
    let entries: [TimelineEntryResponse]
    let nextCursor: String?
}
