// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLite

extension ActivitySQL {
    func setAside(_ aside: SetAside) throws {
        let now = aside.time.millisecondsSince1970
        try self.database.run(
            """
            UPDATE activities SET left_to_send = 0, state = CASE WHEN expires_at <= ?1 THEN 3 ELSE state END,
                ended_at = CASE WHEN expires_at <= ?1 THEN expires_at ELSE ended_at END,
                due_at = CASE WHEN expires_at <= ?1 THEN NULL WHEN due_at <= ?1 THEN ?2 ELSE due_at END
            WHERE number = ?3
            """,
            [now, aside.until.millisecondsSince1970, aside.activity]
        )
        let last = try self.database.row(
            "SELECT sequence, kind FROM activity_timeline WHERE activity = ? ORDER BY sequence DESC LIMIT 1",
            [aside.activity]
        )
        let kind = TimelineEntry.Kind.setAside.rawValue
        if let last, try last.string("kind") == kind { return }
        let sequence = try (last?.number("sequence") ?? 0) + 1
        try self.database.run(
            """
            INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, detail)
            SELECT number, ?, ?, ?, version, 0, ? FROM activities WHERE number = ?
            """,
            [sequence, now, kind, aside.reason, aside.activity]
        )
        try self.database.run("UPDATE activities SET entries = ? WHERE number = ?", [sequence, aside.activity])
    }

    /// Takes away what nobody needs of an activity that is over and cannot be read, so that it can be removed in its turn.
    func strip(_ number: Int64) throws {
        try self.database.run(
            """
            UPDATE activities SET content_state = NULL, alert = NULL, channel = NULL, budget = NULL WHERE number = ?
            """,
            [number]
        )
    }
}
