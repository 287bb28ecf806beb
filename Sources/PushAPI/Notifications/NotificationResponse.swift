// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// How far a notification has come, as returned by the API.
struct NotificationResponse: JSONWritable {
    let id: NotificationID
    let app: String
    let state: String
    let createdAt: Date
    let targetCount: Int
    let batchCount: Int
    let remaining: Int
    let counts: CountsResponse
    let resendOf: NotificationID?

    /// The ids under which APNs knows the notifications of a ``BatchRequest``, in its order; `nil` for other requests.
    var apnsIDs: [APNsID]?
    var skipped: SkippedResponse?
    var outcomes: [OutcomeResponse]?
    var failures: [OutcomeResponse]?
    var nextCursor: String?

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
        self.counts = CountsResponse(status.counts)
        self.resendOf = status.notification.resendOf
    }

    /// Adds a page of failures.
    mutating func list(_ failures: Page<TargetOutcome, APNsID>, in status: NotificationStatus) {
        self.failures = failures.elements.map { OutcomeResponse($0, in: status) }
        self.nextCursor = failures.next?.description
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("apnsIDs", self.apnsIDs?.map(\.description))
            writer.member("app", self.app)
            writer.member("batchCount", self.batchCount)
            writer.member("counts", self.counts)
            writer.member("createdAt", self.createdAt)
            writer.member("failures", self.failures)
            writer.member("hasMore", self.hasMore)
            writer.member("id", self.id.description)
            writer.member("nextCursor", self.nextCursor)
            writer.member("outcomes", self.outcomes)
            writer.member("remaining", self.remaining)
            writer.member("resendOf", self.resendOf?.description)
            writer.member("skipped", self.skipped)
            writer.member("state", self.state)
            writer.member("targetCount", self.targetCount)
        }
    }

    /// One word for all batches together.
    private static func state(of status: NotificationStatus) -> String {
        let states = status.batches.map(\.lifecycle.state)
        if !status.isOpen, states.allSatisfy(\.isFinal) {
            if states.contains(.cancelled) { return "cancelled" }
            if states.contains(where: \.isFailed) { return "failed" }
            return states.contains(.expired) ? "expired" : "completed"
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

/// The number of targets by outcome, as returned by the API.
struct CountsResponse: Encodable, JSONWritable {
    let delivered: Int
    let rejected: [String: Int]
    let failed: [String: Int]

    init(_ counts: OutcomeCounts) {
        self.delivered = counts.delivered
        self.rejected = Dictionary(uniqueKeysWithValues: counts.rejected.map { ($0.key.rawValue, $0.value) })
        self.failed = Dictionary(uniqueKeysWithValues: counts.failed.map { ($0.key.rawValue, $0.value) })
    }
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("delivered", self.delivered)
            writer.member("failed", self.failed) { $0.integer($1) }
            writer.member("rejected", self.rejected) { $0.integer($1) }
        }
    }
}
