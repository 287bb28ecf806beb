// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

/// An outcome other than `delivered` as columns.
package struct StoredOutcome {
    /// The kind of what APNs refused.
    package static let rejected = 1

    /// The kind of what had no answer.
    package static let failed = 2

    package let kind: Int
    package let name: String
    package let status: Int?
    package let inactiveSince: Int64?

    /// Takes an outcome apart; `nil` for `delivered`, which is not stored.
    package init?(_ outcome: Outcome) {
        switch outcome {
        case .delivered: return nil
        case .rejected(let rejection):
            self.kind = Self.rejected
            self.name = rejection.reason.rawValue
            self.status = rejection.status
            self.inactiveSince = rejection.inactiveSince
        case .failed(let code):
            self.kind = Self.failed
            self.name = code.rawValue
            self.status = nil
            self.inactiveSince = nil
        }
    }
}

extension Outcome {
    /// Reads the columns `kind`, `name`, `status` and `inactive_since`.
    package init(stored row: some StoredRow) throws {
        let name = try row.string("name")
        if try row.number("kind") == StoredOutcome.rejected {
            self = .rejected(
                Rejection(
                    status: Int(try row.integer("status") ?? 0),
                    reason: RejectionReason(rawValue: name),
                    inactiveSince: try row.integer("inactive_since")
                )
            )
        } else {
            self = .failed(FailureCode(rawValue: name))
        }
    }
}

extension OutcomeCounts {
    /// The counts as rows, without those that are zero; what was delivered is counted in the batch itself.
    package var stored: [(kind: Int, name: String, count: Int)] {
        let rejected = self.rejected.map { (kind: StoredOutcome.rejected, name: $0.key.rawValue, count: $0.value) }
        let failed = self.failed.map { (kind: StoredOutcome.failed, name: $0.key.rawValue, count: $0.value) }
        return (rejected + failed).filter { $0.count > 0 }
    }

    /// Adds a row's columns `kind`, `name` and `count`.
    package mutating func add(stored row: some StoredRow) throws {
        let (name, count) = (try row.string("name"), try row.number("count"))
        if try row.number("kind") == StoredOutcome.rejected {
            self.rejected[RejectionReason(rawValue: name), default: 0] += count
        } else {
            self.failed[FailureCode(rawValue: name), default: 0] += count
        }
    }
}
