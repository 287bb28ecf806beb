// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import PushModel
public import PushStore

extension RetentionStore where Self: SQLBacked {
    public func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications {
        // Mostly there is nothing. A read finds that out without waiting for other changes.
        let old = SQL.oldNotifications(before: time)
        guard try await self.sql.finds("\(old) LIMIT 1") else { return PrunedNotifications() }
        return try await self.sql.write(in: .bulk) { try $0.pruneNotifications(before: time, limit: limit) }
    }

    @discardableResult
    public func pruneChunks(before time: Date) async throws -> Int {
        // The first chunk of a stream is its oldest one.
        let streams = try await self.sql.read { reader in
            try reader.rows(
                """
                SELECT app, id FROM streams WHERE (
                    SELECT created_at < \(time) AND end_line <= accepted_lines FROM stream_chunks
                    WHERE \(sqlite: "stream = streams.number", postgres: "app = streams.app AND stream = streams.id")
                    ORDER BY end_line LIMIT 1
                )
                """
            ).map { (app: try $0.int64("app"), id: try $0.string("id")) }
        }
        var removed = 0
        for (app, id) in streams {
            let chunks: SQL = "FROM stream_chunks WHERE \(SQL.isChunk(ofStream: id, app: "\(app)"))"
            var step = PruningBudget.chunks
            while step == PruningBudget.chunks {
                step = try await self.sql.run(
                    """
                    DELETE \(chunks) AND end_line <= (
                        SELECT max(end_line) FROM (
                            SELECT end_line, created_at \(chunks) ORDER BY end_line LIMIT \(PruningBudget.chunks)
                        ) AS oldest
                        WHERE created_at < \(time) AND end_line <= (
                            SELECT accepted_lines FROM streams WHERE app = \(app) AND id = \(id)
                        )
                    )
                    """,
                    in: .bulk
                )
                removed += step
            }
        }
        return removed
    }
}

extension SQL {
    /// The notifications that were settled before a time, the oldest first; LIMIT follows.
    static func oldNotifications(before time: Date) -> SQL {
        """
        SELECT settled_at, notification FROM settled_notifications WHERE settled_at < \(time)
        ORDER BY settled_at, notification
        """
    }

    /// Whether a notification may still be sent to targets.
    static let isUnsettled: SQL = """
        (is_open OR \(
            sqlite: "EXISTS (SELECT 1 FROM batches WHERE notification = notifications.id AND (state < 3 OR state = 7))",
            postgres: "open_batches > 0"
        ))
        """
}
