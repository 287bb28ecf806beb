// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore: StreamStore {
    @discardableResult
    public func removeStreams(before time: Date, limit: Int) async throws -> RemovedStreams {
        let time = time.millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Most often there is nothing, which a read finds out without waiting for those who write.
        let isIdle = try await self.read { try $0.oldStreams(before: time, limit: 1).isEmpty }
        if isIdle { return RemovedStreams() }
        return try await self.write(in: .bulk) { database in
            let old = try database.oldStreams(before: time, limit: limit)
            var room = PruningBudget.chunks
            var removed = RemovedStreams()
            for stream in old where room > 0 {
                room -= try database.removeChunks(ofStream: stream, limit: room)
                removed.streams += try database.run(
                    "DELETE FROM streams WHERE number = ? AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE stream = ?)",
                    [stream, stream]
                )
            }
            removed.hasMore = old.count == limit || removed.streams < old.count
            return removed
        }
    }
}

extension Database {
    /// The numbers of the streams whose last chunk was accepted before a time, the oldest first.
    fileprivate func oldStreams(before time: Int64, limit: Int) throws -> [Int64] {
        try self.rows(
            "SELECT number FROM streams WHERE accepted_at < ? ORDER BY accepted_at LIMIT ?",
            [time, limit]
        ).map { try $0.int64("number") }
    }

    /// Removes the first chunks of a stream.
    ///
    /// - Returns: how many were removed.
    fileprivate func removeChunks(ofStream stream: Int64, limit: Int) throws -> Int {
        try self.run(
            """
            DELETE FROM stream_chunks WHERE stream = ? AND end_line IN (
                SELECT end_line FROM stream_chunks WHERE stream = ? ORDER BY end_line LIMIT ?
            )
            """,
            [stream, stream, limit]
        )
    }
}
