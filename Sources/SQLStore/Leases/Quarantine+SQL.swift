// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel
import PushStore

extension SQLExecutor {
    /// Lists an item that a claim found; `app` is the number of its app.
    package func list(
        _ kind: WorkKind,
        _ key: String,
        app: Int64?,
        as reason: QuarantinedItem.Reason,
        now: Date
    ) throws {
        try self.run(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
            VALUES (\(kind.rawValue), \(key), \(key), \(app), 0, \(now), \(now), \(reason.rawValue))
            ON CONFLICT (kind, key) DO UPDATE SET reason = excluded.reason, reported_at = NULL,
                quarantined_at = coalesce(interruptions.quarantined_at, excluded.quarantined_at)
            """
        )
        try self.removeOldestInterruptions()
    }

    /// The list is bounded, because corrupt tables can have any number of rows.
    func removeOldestInterruptions() throws {
        try self.run(
            """
            DELETE FROM interruptions
            WHERE number <= (SELECT max(number) FROM interruptions) - \(QuarantinedItem.maximumCount)
            """
        )
    }
}
