// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension StreamStore where Self: SQLBacked {
    public func acceptedLines(of stream: StreamID, app: AppID) async throws -> Int {
        try await self.sql.first(
            "SELECT accepted_lines FROM streams WHERE app = \(SQL.number(of: app)) AND id = \(stream)"
        ) { try $0.number("accepted_lines") } ?? 0
    }

    public func append(_ chunk: StreamChunk) async throws {
        try await self.sql.write { transaction in
            try transaction.append(chunk, app: transaction.lockedNumber(of: chunk.app))
        }
    }

    public func chunks(of stream: StreamID, app: AppID, after line: Int, limit: Int) async throws -> [StreamChunk] {
        guard line < .max else { return [] }
        let isOfStream = SQL.isChunk(ofStream: stream.rawValue, app: SQL.number(of: app))
        return try await self.sql.read { reader in
            try reader.rows(
                """
                SELECT * FROM stream_chunks WHERE \(isOfStream) AND end_line > \(line + 1)
                ORDER BY end_line LIMIT \(PageLimit.clamp(limit))
                """
            ).map { try StreamChunk(stored: $0, stream: stream, app: app) }
        }
    }

    public func removeStreams(before time: Date, limit: Int) async throws -> PrunedItems {
        let limit = PageLimit.clamp(limit)
        let isOld: SQL = "streams WHERE accepted_at < \(time)"
        guard try await self.sql.finds("SELECT 1 FROM \(isOld) LIMIT 1") else { return PrunedItems() }
        return try await self.sql.write(in: .bulk) { transaction in
            // Locked first: a stream that another transaction continues stays.
            let old = try transaction.rows(
                "SELECT * FROM \(isOld) ORDER BY accepted_at LIMIT \(limit)\(lock: " FOR UPDATE SKIP LOCKED")"
            )
            let removed = try transaction.removeStreams(old)
            return PrunedItems(count: removed, hasMore: old.count == limit || removed < old.count)
        }
    }
}

extension SQLExecutor {
    /// Continues a stream, or begins it; throws `.conflict` if the chunk does not begin where the stream ends.
    package func append(_ chunk: StreamChunk, app: Int64) throws {
        guard chunk.lines.lowerBound >= 1, !chunk.lines.isEmpty else { throw StoreError.notNext(chunk, accepted: 0) }
        let last = chunk.lines.upperBound - 1
        let advanced = try self.run(
            chunk.lines.lowerBound == 1
                ? """
                INSERT INTO streams (app, id, accepted_lines, accepted_at)
                VALUES (\(app), \(chunk.stream), \(last), \(chunk.createdAt)) ON CONFLICT DO NOTHING
                """
                : """
                UPDATE streams SET accepted_lines = \(last), accepted_at = \(chunk.createdAt)
                WHERE app = \(app) AND id = \(chunk.stream) AND accepted_lines = \(chunk.lines.lowerBound - 1)
                """
        )
        guard try advanced.changes == 1 else {
            let known = try self.first("SELECT accepted_lines FROM streams WHERE app = \(app) AND id = \(chunk.stream)")
            throw StoreError.notNext(chunk, accepted: try known?.number("accepted_lines") ?? 0)
        }
        try self.run(
            """
            INSERT INTO stream_chunks (\(sqlite: "stream", postgres: "app, stream"), end_line, first_line,
                notification, entries, created_at)
            SELECT \(sqlite: "number", postgres: "app, id"), \(chunk.lines.upperBound), \(chunk.lines.lowerBound),
                \(chunk.notification?.value), \(SQLValue.content(chunk.entries)), \(chunk.createdAt)
            FROM streams WHERE app = \(app) AND id = \(chunk.stream)
            """
        )
    }

    /// Removes the first chunks of streams, and the streams that have no others.
    ///
    /// The rows of chunks refer to their stream by its number on SQLite, by its app and ID on PostgreSQL.
    /// - Returns: the number of removed streams.
    fileprivate func removeStreams(_ old: [StoredRow]) throws -> Int {
        switch self.dialect {
        case .sqlite:
            var (removed, room) = (0, StreamChunk.removedAtOnce)
            for row in old where room > 0 {
                let stream = try row.int64("number")
                room -= try self.run(
                    """
                    DELETE FROM stream_chunks WHERE stream = \(stream) AND end_line IN (
                        SELECT end_line FROM stream_chunks WHERE stream = \(stream) ORDER BY end_line LIMIT \(room)
                    )
                    """
                ).changes
                removed += try self.run(
                    """
                    DELETE FROM streams WHERE number = \(stream)
                        AND NOT EXISTS (SELECT 1 FROM stream_chunks WHERE stream = \(stream))
                    """
                ).changes
            }
            return removed
        case .postgres:
            let rows = try SQLRows(
                "old",
                old,
                ["app": { .integer(try $0.int64("app")) }, "id": { .text(try $0.string("id")) }]
            )
            try self.run(SQL.chunkRemoval(rows))
            return try self.run(
                """
                DELETE FROM streams\(" USING ", rows)
                WHERE streams.app = \(rows["app"]) AND streams.id = \(rows["id"]) AND NOT EXISTS (
                    SELECT FROM stream_chunks
                    WHERE stream_chunks.app = streams.app AND stream_chunks.stream = streams.id
                )
                """
            ).changes
        }
    }
}

extension StreamChunk {
    /// The number of chunks that are removed at once; each may have the names of 2000 lines.
    static let removedAtOnce = 200
}

extension SQL {
    /// The condition of the chunks of a stream, which have its number on SQLite, its app and ID on PostgreSQL.
    static func isChunk(ofStream id: String, app: SQL) -> SQL {
        """
        \(sqlite: "stream = (SELECT number FROM streams WHERE ")app = \(app)
            AND \(sqlite: "id", postgres: "stream") = \(id)\(sqlite: ")")
        """
    }

    /// Removes the first chunks of streams on PostgreSQL; chunks never change, so each stays in its place.
    package static func chunkRemoval(_ streams: SQLRows) -> SQL {
        """
        DELETE FROM stream_chunks WHERE ctid = ANY (ARRAY (
            SELECT chunk.ctid\(" FROM ", streams) CROSS JOIN LATERAL (
                SELECT ctid, end_line FROM stream_chunks
                WHERE stream_chunks.app = \(streams["app"]) AND stream_chunks.stream = \(streams["id"])
                ORDER BY end_line LIMIT \(StreamChunk.removedAtOnce)
            ) AS chunk
            ORDER BY \(streams["position"]), chunk.end_line LIMIT \(StreamChunk.removedAtOnce)
        ))
        """
    }
}
