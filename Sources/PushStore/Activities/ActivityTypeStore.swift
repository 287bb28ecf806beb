// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// The types of Live Activities that apps have registered, and with them what their content has to look like.
///
/// Whatever changes an activity holds the content that comes of it against the type, in the same transaction.
public protocol ActivityTypeStore: Sendable {
    /// Registers a type, in the place of one of that name.
    ///
    /// - Parameter type: the type; when it was registered first stays as it is where it was before.
    /// - Returns: whether there was none of that name.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func keep(_ type: ActivityType) async throws -> Bool

    /// A type; `nil` when none of that name is registered.
    func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType?

    /// The types of an app by their names; one that does not exist has none.
    func activityTypes(of app: AppID) async throws -> [ActivityType]

    /// Forgets a type: the content of its activities is not checked any more.
    ///
    /// - Parameters:
    ///   - name: the name of the type.
    ///   - app: its app.
    /// - Returns: whether there was one.
    /// - Throws: ``StoreError``.
    @discardableResult
    func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool
}
