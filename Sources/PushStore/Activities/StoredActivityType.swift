// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import JSONSchema
package import PushModel

extension ActivityType {
    /// Reads the columns of the table `activity_types`, and the app's id as `app_id`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        self.init(
            app: try row.identifier("app_id"),
            name: try row.identifier("name"),
            contentState: try row.bytes("content_state").map { try JSONSchema(stored: $0) },
            attributes: try row.bytes("attributes").map { try JSONSchema(stored: $0) },
            createdAt: try row.date("created_at"),
            changedAt: try row.date("changed_at")
        )
    }

    /// What the column `content_state` holds.
    package var storedContentState: [UInt8]? { self.contentState?.bytes }

    /// What the column `attributes` holds.
    package var storedAttributes: [UInt8]? { self.attributes?.bytes }
}

extension JSONSchema {
    /// Reads a schema that was read before it was stored.
    fileprivate init(stored bytes: [UInt8]) throws {
        do {
            try self.init(json: bytes)
        } catch {
            throw StoreError.damaged("type of activities")
        }
    }
}
