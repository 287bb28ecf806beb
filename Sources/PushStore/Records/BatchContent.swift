// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import PushModel

/// The part of a batch that never changes.
package struct BatchContent: Sendable {
    package let headers: NotificationHeaders
    package let payload: BatchPayload
    package let targets: TargetList

    /// Reads the columns of the table `batch_contents`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read, or are not those of a batch of so many targets.
    package init(stored row: some StoredRow, targetCount: Int) throws {
        guard
            let topic = Topic(rawValue: try row.string("topic")),
            let payload = try? BatchPayload(encoded: row.blob("payload"))
        else { throw StoreError.damaged("content of a batch") }
        var headers = NotificationHeaders(topic: topic, pushType: PushType(rawValue: try row.string("push_type")))
        headers.priority = try row.integer("priority").map { Priority(rawValue: Int($0)) }
        headers.expiration = try row.integer("expiration").map { APNsExpiration(rawValue: $0) }
        headers.collapseID = try row.text("collapse_id").flatMap { CollapseID(rawValue: $0) }
        // A push to a device on which an activity runs has a suffix in its topic; a broadcast has none.
        headers.isBroadcast = headers.pushType == .liveactivity && topic.bundleID(for: .liveactivity) == nil
        self.headers = headers
        self.payload = payload
        self.targets = try Self.targets(stored: row, count: targetCount)
        guard payload.fits(targets: targetCount) else { throw StoreError.damaged("payloads of a batch") }
    }

    /// Reads the column `targets`.
    package static func targets(stored row: some StoredRow, count: Int) throws -> TargetList {
        let targets: TargetList
        do {
            targets = try TargetList(encoded: try row.blob("targets"))
        } catch let error as TargetListError {
            throw StoreError(
                code: .corrupt,
                message: "The stored targets of a batch cannot be read: \(error). Restore the database from a backup.",
                cause: error
            )
        }
        guard targets.count == count else { throw StoreError.damaged("list of a batch's targets") }
        return targets
    }
}

extension Batch {
    /// Puts the two parts of a stored batch together.
    package init(stored row: BatchRow, app: AppID, content: BatchContent) {
        self.init(
            id: row.id,
            notification: row.notification,
            ordinal: row.ordinal,
            app: app,
            lane: row.lane,
            headers: content.headers,
            payload: content.payload,
            targets: content.targets,
            createdAt: row.createdAt,
            expiresAt: row.lifecycle.expiresAt
        )
    }
}

extension BatchKind {
    /// Reads the columns `app_id`, `environments` and `push_type`.
    package init(stored row: some StoredRow) throws {
        self.init(
            app: try row.identifier("app_id"),
            environments: Set(stored: try row.number("environments")),
            pushType: PushType(rawValue: try row.string("push_type"))
        )
    }
}
