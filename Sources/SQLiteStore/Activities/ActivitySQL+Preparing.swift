// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SQLite

extension ActivitySQL {
    /// Whatever is done to an activity adds to its timeline or changes one of the other numbers.
    func unchanged(_ rows: [ActivityRow]) throws -> Set<Int64> {
        let statement = try self.database.cachedStatement(
            """
            SELECT number FROM activities
            WHERE number = ? AND entries = ? AND version = ? AND state = ? AND joined = ? AND timestamp = ?
                AND left_to_send = ? AND transition_due_at IS ? AND expires_at IS ?
            """
        )
        return try self.numbers(rows) { row in
            try statement.rows([
                row.number, row.entries, row.lifecycle.version,
                row.lifecycle.state.stored, row.joined, row.lifecycle.timestamp,
                row.sendingOn?.left ?? 0, row.transitionDueAt?.millisecondsSince1970,
                row.lifecycle.expiresAt?.millisecondsSince1970,
            ]) { Int64(try $0.number("number")) }
        }
    }

    func unchanged(_ rows: [ParticipantRow]) throws -> Set<Int64> {
        let statement = try self.database.cachedStatement(
            """
            SELECT number FROM activity_participants
            WHERE number = ? AND sent_version = ? AND state = ? AND environment = ? AND origin = ? AND position = ?
                AND batch IS ? AND token IS ? AND token_issued_at IS ? AND started_at IS ? AND frequent_updates IS ?
                AND recent_pushes IS ?
            """
        )
        return try self.numbers(rows) { row in
            let phone = row.participant
            return try statement.rows([
                row.number, phone.sentVersion, phone.storedState.number,
                phone.environment.stored, phone.origin.stored, row.position,
                row.batch?.value.stored, phone.token?.bytes,
                phone.tokenIssuedAt?.millisecondsSince1970,
                phone.startedAt?.millisecondsSince1970, phone.storedFrequentUpdates,
                phone.recent.bytes,
            ]) { Int64(try $0.number("number")) }
        }
    }

    private func numbers<Row>(_ rows: [Row], _ read: (Row) throws -> [Int64]) throws -> Set<Int64> {
        var numbers = Set<Int64>(minimumCapacity: rows.count)
        for row in rows { numbers.formUnion(try read(row)) }
        return numbers
    }
}
