// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

/// A job as it is stored.
package struct JobRow: Sendable {
    package let number: Int64

    /// The number of its app.
    package let app: Int64

    package var job: Job

    /// Reads the columns of the table `jobs`, and the app's id as `app_id`.
    ///
    /// `number` and `id` are the names of these columns.
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow, number: String = "number", id: String = "id") throws {
        self.number = try row.int64(number)
        self.app = try row.int64("app")
        let definition = try StoredJSON.decode(JobDefinition.self, row.string("definition"), "job")
        guard definition.isWithinLimits else { throw StoreError.damaged("job") }
        self.job = Job(
            id: try row.identifier(id),
            app: try row.identifier("app_id"),
            definition: definition,
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
}

extension Job {
    package var storedIsCode: Int { self.definition.work == .code ? 1 : 0 }

    package var storedIsPaused: Int { self.isPaused ? 1 : 0 }
}

/// How runs of jobs are written down, alike in all stores.
///
/// States: 0 waiting, 1 running, 2 succeeded, 3 failed, 4 skipped. Triggers: 0 schedule, 1 hand.
extension JobRun {
    private static let states: [State] = [.waiting, .running, .succeeded, .failed, .skipped]

    /// Reads the columns of the table `job_runs`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        let state = try row.number("state")
        guard Self.states.indices.contains(state) else { throw StoreError.damaged("run of a job") }
        self.init(
            id: JobRunID(try row.apnsID("id", of: "run of a job")),
            number: try row.int64("number"),
            trigger: try row.number("by_hand") == 1 ? .hand : .schedule,
            dueAt: try row.date("due_at"),
            occurrences: try row.number("occurrences", in: StoredLimit.sums),
            state: Self.states[state],
            attempt: try row.number("attempt", in: StoredLimit.counts),
            setbacks: try row.number("setbacks", in: StoredLimit.counts),
            startedAt: try row.optionalDate("started_at"),
            endedAt: try row.optionalDate("ended_at"),
            processed: try row.number("processed", in: StoredLimit.sums),
            place: try row.int64("place"),
            skip: try row.text("skip").flatMap { Skip(rawValue: $0) },
            message: try row.text("message"),
            answerStatus: try row.optionalNumber("answer_status"),
            campaign: try row.bytes("campaign").flatMap { APNsID(stored: $0) }.map { CampaignID($0) },
            worker: try row.text("worker").flatMap { WorkerID(rawValue: $0) },
            claimableAt: try row.optionalDate("claimable_at")
        )
    }

    /// What the column `state` holds; those from 2 on are final.
    package var storedState: Int { Self.states.firstIndex(of: self.state) ?? 0 }

    /// What the column `by_hand` holds.
    package var storedTrigger: Int { self.trigger == .hand ? 1 : 0 }
}
