// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension PostgresConnection {
    /// The number of an activity, or `nil`.
    func activityNumber(_ id: ActivityID, of app: AppID) throws -> Int64? {
        try self.row(
            """
            SELECT activities.number FROM activities JOIN apps ON apps.number = activities.app
            WHERE apps.id = $1 AND activities.id = $2
            """,
            [.text(app.rawValue), .text(id.rawValue)]
        )?.integer("number")
    }

    /// Activities with all that belongs to them but their phones, in the order of their numbers.
    func activities(_ numbers: [Int64], of app: AppID) throws -> [Activity] {
        let rows = try self.rows(
            "SELECT activities.*, $2::text AS app_id FROM activities WHERE number = ANY($1::bigint[]) ORDER BY number",
            [.integers(numbers), .text(app.rawValue)]
        )
        let instants = try self.instants(ofActivities: numbers)
        return try rows.map { try Activity(stored: $0, instants: instants[Int64($0.number("number"))] ?? [:]) }
    }

    /// The instants of activities.
    func instants(ofActivities numbers: [Int64]) throws -> [Int64: [InstantName: Date]] {
        let rows = try self.rows(
            "SELECT activity, name, time FROM activity_instants WHERE activity = ANY($1::bigint[])",
            [.integers(numbers)]
        )
        return try rows.reduce(into: [:]) { instants, row in
            guard let name = try readable({ try row.identifier("name", InstantName.self) }) else { return }
            instants[Int64(try row.number("activity")), default: [:]][name] = try row.date("time")
        }
    }

    /// The phones of an activity behind a number.
    func participantRows(ofActivity number: Int64, after place: Int64, limit: Int) throws -> [ParticipantRow] {
        let range = ParticipantNumber.range(ofActivity: number)
        return try self.rows(
            "SELECT * FROM activity_participants WHERE number > $1 AND number <= $2 ORDER BY number LIMIT $3",
            [.integer(max(range.lowerBound, place)), .integer(range.upperBound), .number(limit)]
        ).map(ParticipantRow.init(stored:))
    }

    /// The tokens with which pushes start activities of a type.
    func pushToStartTokens(
        of type: AttributesType,
        app: Int64,
        installations: [InstallationID]
    ) throws -> [PushToStartToken] {
        let rows = try self.rows(
            """
            SELECT push_to_start_tokens.*, (SELECT id FROM apps WHERE number = $1) AS app_id FROM push_to_start_tokens
            WHERE app = $1 AND attributes_type = $2 AND installation = ANY($3::text[])
            """,
            [.integer(app), .text(type.rawValue), .texts(installations.map(\.rawValue))]
        )
        return try rows.map { try PushToStartToken(stored: $0, app: $0.identifier("app_id")) }
    }

    /// Queues that somebody looks after the phones of a batch once the transaction has ended: those that wait for what has
    /// come to its outcome, and those that it has not reached.
    ///
    /// - Parameters:
    ///   - batch: the batch, which is locked; nothing is done for one that is not sent to phones of activities.
    ///   - hasFailures: whether there are phones that it has not reached.
    /// - Returns: the answer: whether there is anybody to look after; `nil` when there cannot be.
    /// - Throws: ``PostgresFailure``.
    @discardableResult
    func markForRelief(_ batch: BatchRow, hasFailures: Bool) throws -> PostgresReply? {
        guard batch.isActivity else { return nil }
        return try self.queue(
            """
            UPDATE batches SET needs_relief = true WHERE id = $1
                AND ($2 = 1 OR EXISTS (SELECT FROM activity_waiting WHERE batch = $1 AND position < $3))
            """,
            [.id(batch.id.value), .number(hasFailures ? 1 : 0), .number(batch.endOfRelief)]
        )
    }
}
