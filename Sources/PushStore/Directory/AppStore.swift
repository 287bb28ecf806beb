// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// The apps.
public protocol AppStore: Sendable {
    /// Adds an app.
    ///
    /// - Throws: ``StoreError`` `.conflict` when there is an app of that id.
    func createApp(_ app: App) async throws

    /// The app of that id, or `nil`.
    func app(_ id: AppID) async throws -> App?

    /// The apps in the order of their ids.
    ///
    /// - Parameters:
    ///   - cursor: the id behind which to begin; `nil` begins at the first app.
    ///   - limit: the most apps to answer, 1...1000.
    /// - Returns: a page of apps.
    /// - Throws: ``StoreError``.
    func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID>

    /// Removes an app with its credentials, devices, notifications and the keys that are bound to it.
    ///
    /// - Returns: whether there was such an app.
    @discardableResult
    func deleteApp(_ id: AppID) async throws -> Bool
}
