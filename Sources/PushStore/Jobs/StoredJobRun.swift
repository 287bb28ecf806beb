// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

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
        guard let id = APNsID(stored: try row.blob("id")), Self.states.indices.contains(state) else {
            throw StoreError.damaged("run of a job")
        }
        self.init(
            id: JobRunID(id),
            number: Int64(try row.number("number")),
            trigger: try row.number("by_hand") == 1 ? .hand : .schedule,
            dueAt: try row.date("due_at"),
            occurrences: try row.number("occurrences"),
            state: Self.states[state],
            attempt: try row.number("attempt"),
            setbacks: try row.number("setbacks"),
            startedAt: try row.optionalDate("started_at"),
            endedAt: try row.optionalDate("ended_at"),
            processed: try row.number("processed"),
            place: Int64(try row.number("place")),
            skip: try row.text("skip").flatMap { Skip(rawValue: $0) },
            message: try row.text("message"),
            answerStatus: try row.integer("answer_status").map { Int($0) },
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
