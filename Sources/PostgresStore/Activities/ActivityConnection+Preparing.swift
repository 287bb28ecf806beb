// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension ActivityConnection {
    /// Whatever is done to an activity adds to its timeline or changes one of the other numbers.
    func unchanged(_ rows: [ActivityRow]) throws -> Set<Int64> {
        let found = try self.connection.rows(
            """
            SELECT activities.number FROM activities
            JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                    $7::bigint[], $8::bigint[], $9::bigint[])
                AS told (number, entries, version, state, joined, timestamp, left_to_send, transition_due_at, expires_at)
                ON activities.number = told.number
            WHERE activities.entries = told.entries AND activities.version = told.version
                AND activities.state = told.state AND activities.joined = told.joined
                AND activities.timestamp = told.timestamp AND activities.left_to_send = told.left_to_send
                AND activities.transition_due_at IS NOT DISTINCT FROM told.transition_due_at
                AND activities.expires_at IS NOT DISTINCT FROM told.expires_at
            ORDER BY activities.number FOR UPDATE OF activities SKIP LOCKED
            """,
            [
                .integers(rows.map(\.number)), .integers(rows.map { Int64($0.entries) }),
                .integers(rows.map { Int64($0.lifecycle.version) }),
                .integers(rows.map { Int64($0.lifecycle.state.stored) }), .integers(rows.map { Int64($0.joined) }),
                .integers(rows.map(\.lifecycle.timestamp)), .integers(rows.map { Int64($0.sendingOn?.left ?? 0) }),
                .integers(rows.map { $0.transitionDueAt?.millisecondsSince1970 }),
                .integers(rows.map { $0.lifecycle.expiresAt?.millisecondsSince1970 }),
            ]
        )
        return Set(try found.map { Int64(try $0.number("number")) })
    }

    func unchanged(_ rows: [ParticipantRow]) throws -> Set<Int64> {
        func integers(_ read: (ActivityParticipant) -> Int?) -> PostgresValue {
            .integers(rows.map { read($0.participant).map(Int64.init) })
        }
        let found = try self.connection.rows(
            """
            SELECT phones.number FROM activity_participants AS phones
            JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::uuid[],
                    $8::bytea[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bytea[])
                AS told (number, sent_version, state, environment, origin, position, batch, token, token_issued_at,
                    started_at, frequent_updates, recent_pushes)
                ON phones.number = told.number
            WHERE phones.sent_version = told.sent_version AND phones.state = told.state
                AND phones.environment = told.environment AND phones.origin = told.origin
                AND phones.position = told.position AND phones.batch IS NOT DISTINCT FROM told.batch
                AND phones.token IS NOT DISTINCT FROM told.token
                AND phones.token_issued_at IS NOT DISTINCT FROM told.token_issued_at
                AND phones.started_at IS NOT DISTINCT FROM told.started_at
                AND phones.frequent_updates IS NOT DISTINCT FROM told.frequent_updates
                AND phones.recent_pushes IS NOT DISTINCT FROM told.recent_pushes
            """,
            [
                .integers(rows.map(\.number)), integers(\.sentVersion), integers(\.storedState.number),
                integers(\.environment.stored), integers(\.origin.stored), .integers(rows.map { Int64($0.position) }),
                .ids(rows.map { $0.batch?.value }), .byteStrings(rows.map { $0.participant.token?.bytes }),
                .integers(rows.map { $0.participant.tokenIssuedAt?.millisecondsSince1970 }),
                .integers(rows.map { $0.participant.startedAt?.millisecondsSince1970 }),
                integers(\.storedFrequentUpdates), .byteStrings(rows.map(\.participant.recent.bytes)),
            ]
        )
        return Set(try found.map { Int64(try $0.number("number")) })
    }
}
