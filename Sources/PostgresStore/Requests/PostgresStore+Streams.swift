// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: StreamStore {
    public func acceptedLines(of stream: StreamID, app: AppID) async throws -> Int {
        try await self.read { connection in
            let row = try connection.row(
                "SELECT accepted_lines FROM streams WHERE app = (SELECT number FROM apps WHERE id = $1) AND id = $2",
                [.text(app.rawValue), .text(stream.rawValue)]
            )
            return try row?.number("accepted_lines") ?? 0
        }
    }

    public func append(_ chunk: StreamChunk) async throws {
        try await self.write { connection in
            try connection.append(chunk, app: try connection.lockedNumber(of: chunk.app))
        }
    }

    public func chunks(
        of stream: StreamID,
        app: AppID,
        after line: Int,
        limit: Int
    ) async throws -> [StreamChunk] {
        guard line < .max else { return [] }
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            try connection.rows(
                """
                SELECT * FROM stream_chunks
                WHERE app = (SELECT number FROM apps WHERE id = $1) AND stream = $2 AND end_line > $3
                ORDER BY end_line LIMIT $4
                """,
                [.text(app.rawValue), .text(stream.rawValue), .number(line + 1), .number(limit)]
            ).map { try StreamChunk(stored: $0, stream: stream, app: app) }
        }
    }

    @discardableResult
    public func removeStreams(before time: Date, limit: Int) async throws -> RemovedStreams {
        let limit = PageLimit.clamp(limit)
        return try await self.write { connection in
            // Locked first: whoever goes on with one of them meanwhile keeps it.
            let old = try connection.rows(
                """
                SELECT app, id FROM streams WHERE accepted_at < $1 ORDER BY accepted_at LIMIT $2 FOR UPDATE SKIP LOCKED
                """,
                [.integer(time.millisecondsSince1970), .number(limit)]
            )
            guard !old.isEmpty else { return RemovedStreams() }
            let names: [PostgresValue] = [
                .integers(try old.map { try $0.integer("app") }), .texts(try old.map { try $0.text("id") }),
            ]
            try connection.queue(Self.chunkRemoval, names)
            let removed = try connection.queue(Self.streamRemoval, names)
            try connection.receive()
            return RemovedStreams(
                streams: removed.changes,
                hasMore: old.count == limit || removed.changes < old.count
            )
        }
    }

    /// Removes the first chunks of streams, in the order of these; takes their apps and ids.
    ///
    /// Chunks never change, so that each stays in its place until it is removed.
    static let chunkRemoval = """
        DELETE FROM stream_chunks WHERE ctid = ANY (ARRAY (
            SELECT chunk.ctid FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS old (app, id, place)
            CROSS JOIN LATERAL (
                SELECT ctid, end_line FROM stream_chunks
                WHERE stream_chunks.app = old.app AND stream_chunks.stream = old.id
                ORDER BY end_line LIMIT \(PruningBudget.chunks)
            ) AS chunk
            ORDER BY old.place, chunk.end_line LIMIT \(PruningBudget.chunks)
        ))
        """

    /// Removes those of streams that have no chunks left; takes their apps and ids.
    private static let streamRemoval = """
        DELETE FROM streams USING unnest($1::bigint[], $2::text[]) AS old (app, id)
        WHERE streams.app = old.app AND streams.id = old.id AND NOT EXISTS (
            SELECT FROM stream_chunks WHERE stream_chunks.app = streams.app AND stream_chunks.stream = streams.id
        )
        """
}

extension PostgresConnection {
    /// Goes on with a stream; it begins by its first chunk.
    ///
    /// - Throws: `StoreError` `.conflict` when the chunk does not begin where the stream ends.
    func append(_ chunk: StreamChunk, app: Int64) throws {
        try chunk.checkLines()
        let time = PostgresValue.integer(chunk.createdAt.millisecondsSince1970)
        let stream: [PostgresValue] = [.integer(app), .text(chunk.stream.rawValue)]
        let reached: [PostgresValue] = [.number(chunk.lines.upperBound - 1), time]
        let advanced =
            if chunk.lines.lowerBound == 1 {
                try self.queue(
                    """
                    INSERT INTO streams (app, id, accepted_lines, accepted_at) VALUES ($1, $2, $3, $4)
                    ON CONFLICT DO NOTHING
                    """,
                    stream + reached
                )
            } else {
                try self.queue(
                    """
                    UPDATE streams SET accepted_lines = $3, accepted_at = $4
                    WHERE app = $1 AND id = $2 AND accepted_lines = $5
                    """,
                    stream + reached + [.number(chunk.lines.lowerBound - 1)]
                )
            }
        let known = try self.row("SELECT accepted_lines FROM streams WHERE app = $1 AND id = $2", stream)
        guard advanced.changes == 1 else {
            throw StoreError.notNext(chunk, accepted: try known?.number("accepted_lines") ?? 0)
        }
        try self.queue(
            """
            INSERT INTO stream_chunks (app, stream, end_line, first_line, notification, entries, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            stream + [
                .number(chunk.lines.upperBound), .number(chunk.lines.lowerBound), .id(chunk.notification?.value),
                .bytes(chunk.entries), time,
            ]
        )
    }
}
