// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

/// How channels are written down, alike in all stores: 0 creating, 1 active, 2 deleting.
extension BroadcastChannel {
    /// Reads the columns of the table `channels`, and the app's id as `app_id`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        let id = try row.text("channel").flatMap(APNsChannelID.init(rawValue:))
        let state: State
        switch (try row.number("state"), id) {
        case (0, nil): state = .creating
        case (1, let id?): state = .active(id)
        case (2, let id?): state = .deleting(id)
        default: throw StoreError.damaged("channel")
        }
        guard let policy = MessageStoragePolicy(rawValue: try row.number("policy")) else {
            throw StoreError.damaged("channel")
        }
        self.init(
            app: try row.identifier("app_id"),
            name: try row.identifier("name"),
            environment: APNsEnvironment(stored: try row.number("environment")),
            policy: policy,
            state: state,
            createdAt: try row.date("created_at")
        )
    }

    /// What the column `state` holds.
    package var storedState: Int {
        switch self.state {
        case .creating: 0
        case .active: 1
        case .deleting: 2
        }
    }

    /// Whether a channel that has the name of another one, which is to be made or kept, is in its way.
    package var isInTheWay: Bool { self.state != .creating }
}
