// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension ActivityConnection {
    func setAside(_ aside: SetAside) throws {
        let now = aside.time.millisecondsSince1970
        if aside.isUnreadable {
            try LeaseSession(connection: self.connection).listUnreadable(activity: aside.activity, now: aside.time)
        }
        try self.connection.queue(
            """
            DELETE FROM activity_due USING activities
            WHERE activity = $1 AND activities.number = activity AND expires_at <= $2
            """,
            [.integer(aside.activity), .integer(now)]
        )
        try self.connection.queue(
            "UPDATE activity_due SET due_at = $1 WHERE activity = $2 AND due_at <= $3",
            [.integer(aside.until.millisecondsSince1970), .integer(aside.activity), .integer(now)]
        )
        try self.connection.queue(
            """
            UPDATE activities SET left_to_send = 0, state = CASE WHEN expires_at <= $1 THEN 3 ELSE state END,
                ended_at = CASE WHEN expires_at <= $1 THEN expires_at ELSE ended_at END
            WHERE number = $2
            """,
            [.integer(now), .integer(aside.activity)]
        )
        let last = try self.connection.row(
            "SELECT sequence, kind FROM activity_timeline WHERE activity = $1 ORDER BY sequence DESC LIMIT 1",
            [.integer(aside.activity)]
        )
        let kind = TimelineEntry.Kind.setAside.rawValue
        if let last, try last.string("kind") == kind { return }
        var former: Int? = 0
        if let last {
            former = try last.readable(in: "activity_timeline") {
                try $0.number("sequence", in: StoredLimit.counts)
            }
        }
        guard let sequence = former.map({ $0 + 1 }) else { return }
        try self.connection.queue(
            """
            INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, detail)
            SELECT number, $1::bigint, $2::bigint, $3::text, version, 0, $4::text FROM activities WHERE number = $5
            """,
            [.number(sequence), .integer(now), .text(kind), .text(aside.reason), .integer(aside.activity)]
        )
        try self.connection.queue(
            "UPDATE activities SET entries = $1 WHERE number = $2",
            [.number(sequence), .integer(aside.activity)]
        )
    }

    /// Clears the columns of an ended activity that cannot be decoded, so that retention can remove it.
    func strip(_ number: Int64) throws {
        try self.connection.queue(
            """
            UPDATE activities SET content_state = NULL, alert = NULL, channel = NULL, budget = NULL, state = 3,
                version = 0, timestamp = 0, priority = 10, stale_date = NULL, relevance_score = NULL,
                dismissal_date = NULL, joined = greatest(1, least(joined, $1::bigint)),
                entries = greatest(0, least(entries, $1::bigint)), started_at = NULL, expires_at = NULL, ended_at = 0,
                left_to_send = 0, fixed_bytes = 0
            WHERE number = $2
            """,
            [.number(ParticipantNumber.maximum), .integer(number)]
        )
    }
}
