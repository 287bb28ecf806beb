// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The stored responses to requests; the transaction of a request stores its response, so that the request is not
/// repeated.
public protocol IdempotencyStore: Sendable {
    /// Returns the stored response for a caller's key; `nil` if there is none, or it was pruned.
    func idempotencyRecord(_ slot: IdempotencySlot) async throws -> IdempotencyRecord?

    /// Replaces the answer of a record; does nothing when there is none.
    func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: IdempotencySlot) async throws

    /// Removes old records; returns their number, which is less than `limit` when none are left.
    @discardableResult
    func removeIdempotencyRecords(before time: Date, limit: Int) async throws -> Int
}

extension IdempotencyRecord {
    package init(stored row: StoredRow, slot: IdempotencySlot) throws {
        self.init(
            slot: slot,
            requestHash: try row.blob("request_hash"),
            notification: NotificationID(try row.apnsID("notification", of: "response to a request")),
            answer: Answer(
                status: try row.number("status", in: 0...999),
                location: try row.text("location"),
                body: try row.blob("body")
            ),
            createdAt: try row.date("created_at")
        )
    }
}
