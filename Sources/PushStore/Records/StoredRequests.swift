// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

extension IdempotencyRecord {
    /// Reads the columns of the table `idempotency_records`.
    package init(stored row: some StoredRow, slot: IdempotencySlot) throws {
        guard let notification = APNsID(stored: try row.blob("notification")) else {
            throw StoreError.damaged("answer to a request")
        }
        self.init(
            slot: slot,
            requestHash: try row.blob("request_hash"),
            notification: NotificationID(notification),
            answer: Answer(
                status: try row.number("status"),
                location: try row.text("location"),
                body: try row.blob("body")
            ),
            createdAt: try row.date("created_at")
        )
    }
}

extension StreamChunk {
    /// Reads the columns of the table `stream_chunks`.
    package init(stored row: some StoredRow, stream: StreamID, app: AppID) throws {
        let (first, end) = (try row.number("first_line"), try row.number("end_line"))
        guard first < end else { throw StoreError.damaged("lines of a stream") }
        self.init(
            stream: stream,
            app: app,
            lines: first..<end,
            notification: try row.bytes("notification").flatMap(APNsID.init(stored:)).map { NotificationID($0) },
            entries: try row.blob("entries"),
            createdAt: try row.date("created_at")
        )
    }

    /// Makes sure that the chunk has lines.
    ///
    /// - Throws: ``StoreError`` `.conflict`.
    package func checkLines() throws {
        guard self.lines.lowerBound >= 1, !self.lines.isEmpty else { throw StoreError.notNext(self, accepted: 0) }
    }
}
