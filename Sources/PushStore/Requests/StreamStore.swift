// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The progress of streams, so that clients can resume them after a connection broke.
///
/// ``BatchStore/accept(_:batches:noting:)`` stores a chunk with accepted lines.
public protocol StreamStore: Sendable {
    /// How many lines of a stream were accepted, or refused; 0 when it is not known.
    func acceptedLines(of stream: StreamID, app: AppID) async throws -> Int

    /// Stores a chunk without accepted lines; throws `.conflict` if it does not start at the end of the stream.
    func append(_ chunk: StreamChunk) async throws

    /// Returns the chunks of a stream with a line after `line`, in their order; fewer than `limit` at the end.
    func chunks(of stream: StreamID, app: AppID, after line: Int, limit: Int) async throws -> [StreamChunk]

    /// Forgets streams whose last chunk was accepted before a time, the oldest first, in one short transaction.
    ///
    /// Removes at most 200 chunks. A stream that has more loses the first of them, and stays known until the last is
    /// gone.
    @discardableResult
    func removeStreams(before time: Date, limit: Int) async throws -> PrunedItems
}

extension StreamChunk {
    package init(stored row: StoredRow, stream: StreamID, app: AppID) throws {
        let (first, end) = (try row.number("first_line"), try row.number("end_line"))
        guard 0 < first, first < end else { throw StoreError.damaged("lines of a stream") }
        self.init(
            stream: stream,
            app: app,
            lines: first..<end,
            notification: try row.bytes("notification").flatMap(APNsID.init(stored:)).map { NotificationID($0) },
            entries: try row.openedBlob("entries"),
            createdAt: try row.date("created_at")
        )
    }
}
