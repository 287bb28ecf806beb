// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: StreamStore {
    public func acceptedLines(of stream: StreamID, app: AppID) async throws -> Int {
        try await self.read { database in
            guard let app = try database.number(of: app) else { return 0 }
            return try database.stream(stream, app: app)?.number("accepted_lines") ?? 0
        }
    }

    public func append(_ chunk: StreamChunk) async throws {
        try await self.write { database in
            try database.append(chunk, app: try database.requiredNumber(of: chunk.app))
        }
    }

    public func chunks(
        of stream: StreamID,
        app: AppID,
        after line: Int,
        limit: Int
    ) async throws -> [StreamChunk] {
        guard line < .max else { return [] }
        return try await self.read { database in
            guard let number = try database.number(of: app), let row = try database.stream(stream, app: number) else {
                return []
            }
            return try database.rows(
                "SELECT * FROM stream_chunks WHERE stream = ? AND end_line > ? ORDER BY end_line LIMIT ?",
                [try row.int64("number"), line + 1, PageLimit.clamp(limit)]
            ).map { try StreamChunk(stored: $0, stream: stream, app: app) }
        }
    }

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
    fileprivate func stream(_ id: StreamID, app: Int64) throws -> Row? {
        try self.row("SELECT number, accepted_lines FROM streams WHERE app = ? AND id = ?", [app, id.rawValue])
    }

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

    /// Goes on with a stream; it begins by its first chunk.
    func append(_ chunk: StreamChunk, app: Int64) throws {
        try chunk.checkLines()
        let known = try self.stream(chunk.stream, app: app)
        let accepted = try known?.number("accepted_lines") ?? 0
        guard chunk.lines.lowerBound == accepted + 1 else { throw StoreError.notNext(chunk, accepted: accepted) }
        let time = chunk.createdAt.millisecondsSince1970
        let number: Int64
        if let known {
            number = try known.int64("number")
            try self.run(
                "UPDATE streams SET accepted_lines = ?, accepted_at = ? WHERE number = ?",
                [chunk.lines.upperBound - 1, time, number]
            )
        } else {
            try self.run(
                "INSERT INTO streams (app, id, accepted_lines, accepted_at) VALUES (?, ?, ?, ?)",
                [app, chunk.stream.rawValue, chunk.lines.upperBound - 1, time]
            )
            number = self.lastInsertedRowID
        }
        try self.run(
            """
            INSERT INTO stream_chunks (stream, end_line, first_line, notification, entries, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                number, chunk.lines.upperBound, chunk.lines.lowerBound, chunk.notification?.value.stored,
                chunk.entries, time,
            ]
        )
    }
}
