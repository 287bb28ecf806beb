// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import PushModel
public import PushStore
import SQLStore

extension PostgresStore: StreamStore {
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
