// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import GRDB
import PushModel
import PushStore

/// An outcome other than `delivered` as columns.
struct StoredOutcome {
    let kind: Int
    let name: String
    let status: Int?
    let inactiveSince: Int64?

    /// Takes an outcome apart; `nil` for `delivered`, which is not stored.
    init?(_ outcome: Outcome) {
        switch outcome {
        case .delivered: return nil
        case .rejected(let rejection):
            self.kind = 1
            self.name = rejection.reason.rawValue
            self.status = rejection.status
            self.inactiveSince = rejection.inactiveSince
        case .failed(let code):
            self.kind = 2
            self.name = code.rawValue
            self.status = nil
            self.inactiveSince = nil
        }
    }
}

extension Outcome {
    /// Reads the columns `kind`, `name`, `status` and `inactive_since`.
    init(row: Row) {
        let name: String = row["name"]
        if row["kind"] == 1 {
            self = .rejected(
                Rejection(
                    status: row["status"] ?? 0,
                    reason: RejectionReason(rawValue: name),
                    inactiveSince: row["inactive_since"]
                )
            )
        } else {
            self = .failed(FailureCode(rawValue: name))
        }
    }
}

extension Database {
    /// Adds to what a batch's targets came to; those that were delivered are counted in the batch itself.
    func add(_ counts: OutcomeCounts, to batch: BatchID) throws {
        let rejected = counts.rejected.map { (kind: 1, name: $0.key.rawValue, count: $0.value) }
        let failed = counts.failed.map { (kind: 2, name: $0.key.rawValue, count: $0.value) }
        for entry in rejected + failed where entry.count > 0 {
            try self.run(
                """
                INSERT INTO batch_counts (batch, kind, name, count) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count
                """,
                [batch.value.stored, entry.kind, entry.name, entry.count]
            )
        }
    }

    /// What a batch's targets came to so far.
    func counts(of batch: BatchRow) throws -> OutcomeCounts {
        var counts = OutcomeCounts(delivered: batch.delivered)
        for row in try self.rows("SELECT kind, name, count FROM batch_counts WHERE batch = ?", [batch.id.value.stored])
        {
            if row["kind"] == 1 {
                counts.rejected[RejectionReason(rawValue: row["name"])] = row["count"]
            } else {
                counts.failed[FailureCode(rawValue: row["name"])] = row["count"]
            }
        }
        return counts
    }
}
