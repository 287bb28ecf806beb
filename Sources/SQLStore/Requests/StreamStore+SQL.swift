// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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

    public func chunks(
        of stream: StreamID,
        app: AppID,
        after line: Int,
        limit: Int
    ) async throws -> [StreamChunk] {
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
}

extension SQLExecutor {
    /// Continues a stream with a chunk, or begins it with its first one.
    ///
    /// - Throws: ``StoreError`` `.conflict` if the chunk does not begin where the stream ends.
    package func append(_ chunk: StreamChunk, app: Int64) throws {
        try chunk.checkLines()
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
            let known = try self.first(
                "SELECT accepted_lines FROM streams WHERE app = \(app) AND id = \(chunk.stream)"
            )
            throw StoreError.notNext(chunk, accepted: try known?.number("accepted_lines") ?? 0)
        }
        try self.run(
            """
            INSERT INTO stream_chunks (\(sqlite: "stream", postgres: "app, stream"), end_line, first_line,
                notification, entries, created_at)
            SELECT \(sqlite: "number", postgres: "app, id"), \(chunk.lines.upperBound), \(chunk.lines.lowerBound),
                \(chunk.notification?.value), \(chunk.entries), \(chunk.createdAt)
            FROM streams WHERE app = \(app) AND id = \(chunk.stream)
            """
        )
    }
}

extension SQL {
    /// The condition of the chunks of a stream.
    ///
    /// They have its number on SQLite, its app and ID on PostgreSQL.
    static func isChunk(ofStream id: String, app: SQL) -> SQL {
        """
        \(sqlite: "stream = (SELECT number FROM streams WHERE ")app = \(app)
            AND \(sqlite: "id", postgres: "stream") = \(id)\(sqlite: ")")
        """
    }
}
