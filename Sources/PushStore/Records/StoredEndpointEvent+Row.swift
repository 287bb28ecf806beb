// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

extension StoredEndpointEvent {
    /// Reads the columns of the table `endpoint_events`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        guard let kind = Kind(rawValue: try row.string("kind")) else { throw StoreError.damaged("endpoint event") }
        self.init(
            number: Int64(try row.number("number")),
            application: PlatformApplication.Name(platform: try row.string("platform"), text: try row.string("name")),
            installation: try row.identifier("installation"),
            kind: kind,
            topic: try row.string("topic"),
            time: try row.date("time"),
            failure: try EndpointFailure(stored: row)
        )
    }
}

extension EndpointFailure {
    /// Reads the columns that say what has failed; `nil` when there is nothing of the kind.
    fileprivate init?(stored row: some StoredRow) throws {
        guard let bytes = try row.bytes("notification") else { return nil }
        guard let id = APNsID(stored: bytes), let kind = Kind(rawValue: try row.string("failure")) else {
            throw StoreError.damaged("failure of an endpoint")
        }
        self.init(notification: NotificationID(id), kind: kind, reason: try row.string("reason"))
    }
}
