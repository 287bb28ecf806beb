// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel

extension SQLExecutor {
    /// Lists an item that a claim cannot process, unless 10,000 items are listed.
    ///
    /// Does the same as `LeaseConnection.addQuarantined`, for claims that are written once for both databases.
    package func addQuarantined(
        _ kind: WorkKind,
        key: String,
        item: String,
        app: String?,
        as reason: QuarantinedItem.Reason,
        now: Date
    ) throws {
        try self.run(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, quarantined_at, reason)
            SELECT \(kind.rawValue), \(key), \(item), (SELECT number FROM apps WHERE id = \(app)), 0, \(now), \(now),
                \(reason.rawValue)
            WHERE (SELECT count(*) FROM interruptions) < 10000
            ON CONFLICT (kind, key) DO UPDATE SET quarantined_at = excluded.quarantined_at, reason = excluded.reason
            """
        )
    }
}
