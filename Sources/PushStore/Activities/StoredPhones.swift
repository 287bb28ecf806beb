// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

extension ActivityPhones {
    /// The query for the columns that ``init(stored:)`` reads.
    ///
    /// - Parameters:
    ///   - version: the parameter for the activity's version.
    ///   - first: the parameter for the lowest number of its phones.
    ///   - last: the parameter for the highest one.
    /// - Returns: the query.
    package static func query(version: String, first: String, last: String) -> String {
        """
        SELECT COALESCE(SUM(CASE WHEN state = 0 THEN 1 ELSE 0 END), 0) AS invited,
            COALESCE(SUM(CASE WHEN state = 1 THEN 1 ELSE 0 END), 0) AS active,
            COALESCE(SUM(CASE WHEN state = 2 THEN 1 ELSE 0 END), 0) AS gone,
            COALESCE(SUM(CASE WHEN state = 1 AND sent_version < \(version) THEN 1 ELSE 0 END), 0) AS behind
        FROM activity_participants WHERE number BETWEEN \(first) AND \(last)
            AND origin <> \(ActivityParticipant.Origin.channel.stored)
        """
    }

    /// Reads the columns of the query.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        self.init(
            invited: try row.number("invited"),
            active: try row.number("active"),
            gone: try row.number("gone"),
            behind: try row.number("behind")
        )
    }
}
