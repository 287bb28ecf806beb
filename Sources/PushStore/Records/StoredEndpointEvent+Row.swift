// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
            time: try row.date("time")
        )
    }
}
