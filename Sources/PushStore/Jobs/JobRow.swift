// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

/// A job as it is stored.
package struct JobRow: Sendable {
    package let number: Int64

    /// The number of its app.
    package let app: Int64

    package var job: Job

    /// A job under its number.
    package init(_ job: Job, number: Int64, app: Int64) {
        self.number = number
        self.app = app
        self.job = job
    }

    /// Reads the columns of the table `jobs`, and the app's id as `app_id`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        self.number = Int64(try row.number("number"))
        self.app = Int64(try row.number("app"))
        self.job = Job(
            id: try row.identifier("id"),
            app: try row.identifier("app_id"),
            definition: try StoredJSON.decode(JobDefinition.self, row.string("definition"), "job"),
            isPaused: try row.number("is_paused") == 1,
            nextAt: try row.optionalDate("next_at"),
            createdAt: try row.date("created_at"),
            updatedAt: try row.date("updated_at")
        )
    }

    /// What there is to say of a run whose job cannot be read.
    package static let damagedReason = "What was stored of the job cannot be read. Delete it, and put it anew."

    /// What there is to say of a run that cannot be read itself.
    package static let damagedRunReason = "What was stored of the run cannot be read."

    /// After how many seconds a job is looked at again that cannot be read.
    package static let damagedDelay = 3600.0

    /// What the column `definition` holds.
    package var storedDefinition: String { get throws { try StoredJSON.encode(self.job.definition) } }

    /// What the column `is_code` holds.
    package var storedIsCode: Int { self.job.definition.work == .code ? 1 : 0 }
}
