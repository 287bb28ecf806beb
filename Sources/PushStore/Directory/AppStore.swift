// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel

public protocol AppStore: Sendable {
    /// Adds an app; throws ``StoreError`` `.conflict` when there is an app of that id.
    func createApp(_ app: App) async throws

    func app(_ id: AppID) async throws -> App?

    func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID>

    /// Removes an app with its credentials, devices, notifications and the keys that are bound to it.
    @discardableResult
    func deleteApp(_ id: AppID) async throws -> Bool
}

extension App {
    package init(stored row: StoredRow) throws {
        self.init(
            id: try row.identifier("id"),
            name: try row.string("name"),
            defaultEnvironment: APNsEnvironment(stored: try row.number("default_environment")),
            createdAt: try row.date("created_at")
        )
    }
}
