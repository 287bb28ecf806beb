// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

enum SetAside {
    /// How many seconds damaged work is left alone.
    static let seconds = 3600.0
}

extension SQLExecutor {
    /// Sets an activity aside for an hour, because it cannot be read, and lists it. A newer version may read it.
    func setAside(_ number: Int64, _ error: StoreError, now: Date) throws {
        try self.run(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
            SELECT 'activity', \(String(number)), id, app, 0, \(now), \(now),
                \(QuarantinedItem.Reason.unreadable.rawValue)
            FROM activities WHERE number = \(number)
            ON CONFLICT (kind, key) DO UPDATE SET reason = excluded.reason
            """
        )
        try self.removeOldestInterruptions()
        try self.setAside(number, reason: error.message, until: now.addingTimeInterval(SetAside.seconds), now: now)
    }

    /// Sets an activity aside, so that it keeps no other from being looked after.
    ///
    /// Its timeline tells that once, until something else happens to it. It is over when no device shows it any more.
    func setAside(_ number: Int64, reason: String, until: Date, now: Date) throws {
        var due: SQL = ""
        switch self.dialect {
        case .sqlite:
            due = """
                , due_at = CASE WHEN expires_at <= \(now) THEN NULL WHEN due_at <= \(now) THEN \(until)
                    ELSE due_at END
                """
        case .postgres:
            try self.run(
                """
                DELETE FROM activity_due USING activities
                WHERE activity = \(number) AND activities.number = activity AND expires_at <= \(now)
                """
            )
            try self.run(
                "UPDATE activity_due SET due_at = \(until) WHERE activity = \(number) AND due_at <= \(now)"
            )
        }
        try self.run(
            """
            UPDATE activities SET left_to_send = 0, state = CASE WHEN expires_at <= \(now) THEN 3 ELSE state END,
                ended_at = CASE WHEN expires_at <= \(now) THEN expires_at ELSE ended_at END\(due)
            WHERE number = \(number)
            """
        )
        let last = try self.first(
            "SELECT sequence, kind FROM activity_timeline WHERE activity = \(number) ORDER BY sequence DESC LIMIT 1"
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
        try self.run(
            """
            INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, detail)
            SELECT number, \(sequence), \(now), \(kind), version, 0, \(reason)
            FROM activities WHERE number = \(number)
            """
        )
        try self.run("UPDATE activities SET entries = \(sequence) WHERE number = \(number)")
    }

    /// Clears the columns of an ended activity that cannot be read, so that retention can remove it.
    func strip(_ number: Int64) throws {
        let maximum = ParticipantNumber.maximum
        try self.run(
            """
            UPDATE activities SET content_state = NULL, alert = NULL, channel = NULL, budget = NULL, state = 3,
                version = 0, timestamp = 0, priority = 10, stale_date = NULL, relevance_score = NULL,
                dismissal_date = NULL, started_at = NULL, expires_at = NULL, ended_at = 0, left_to_send = 0,
                fixed_bytes = 0,
                joined = CASE WHEN joined BETWEEN 1 AND \(maximum) THEN joined WHEN joined < 1 THEN 1
                    ELSE \(maximum) END,
                entries = CASE WHEN entries BETWEEN 0 AND \(maximum) THEN entries WHEN entries < 0 THEN 0
                    ELSE \(maximum) END
            WHERE number = \(number)
            """
        )
    }
}
