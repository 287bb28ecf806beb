// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// How far a notification has come, as it is written.
struct NotificationBody: Encodable {
    let id: NotificationID
    let app: String
    let state: String
    let createdAt: Date
    let targetCount: Int
    let batchCount: Int
    let remaining: Int
    let counts: CountsBody
    let resendOf: NotificationID?
    var skipped: SkippedBody?
    var outcomes: [OutcomeBody]?
    var failures: [OutcomeBody]?
    var next: String?

    /// Whether more failed than were sent to again by this one; `nil` where it does not.
    var hasMore: Bool?

    init(_ status: NotificationStatus) {
        self.id = status.notification.id
        self.app = status.notification.app.rawValue
        self.state = Self.state(of: status)
        self.createdAt = status.notification.createdAt
        self.targetCount = status.notification.targetCount
        self.batchCount = status.notification.batchCount
        self.remaining = status.remaining
        self.counts = CountsBody(status.counts)
        self.resendOf = status.notification.resendOf
    }

    /// One word for all batches together.
    private static func state(of status: NotificationStatus) -> String {
        let states = status.batches.map(\.lifecycle.state)
        if !status.isOpen, states.allSatisfy(\.isFinal) {
            if states.contains(.cancelled) { return "cancelled" }
            if states.contains(where: \.isFailed) { return "failed" }
            return states.contains(.expired) ? "expired" : "settled"
        }
        let hasBegun = status.batches.contains { $0.lifecycle.state != .pending || $0.lifecycle.cursor > 0 }
        return hasBegun ? "sending" : "accepted"
    }
}

extension BatchState {
    fileprivate var isFailed: Bool {
        if case .failed = self { true } else { false }
    }
}

/// How many targets came to what, as it is written.
struct CountsBody: Encodable {
    let delivered: Int
    let rejected: [String: Int]
    let failed: [String: Int]

    init(_ counts: OutcomeCounts) {
        self.delivered = counts.delivered
        self.rejected = Dictionary(uniqueKeysWithValues: counts.rejected.map { ($0.key.rawValue, $0.value) })
        self.failed = Dictionary(uniqueKeysWithValues: counts.failed.map { ($0.key.rawValue, $0.value) })
    }
}

/// How far the notifications of a ``BatchRequest`` have come, as it is written.
struct BatchBody: Encodable {
    let notification: NotificationBody

    /// The ids under which APNs knows them, in the order of the request.
    let apnsIDs: [APNsID]

    private enum Key: String, CodingKey {
        case apnsIDs
    }

    func encode(to encoder: any Encoder) throws {
        try self.notification.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.apnsIDs, forKey: .apnsIDs)
    }
}
