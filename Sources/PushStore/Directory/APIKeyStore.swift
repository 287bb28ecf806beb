// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The keys of the HTTP API.
public protocol APIKeyStore: Sendable {
    /// Adds a key.
    ///
    /// - Throws: ``StoreError`` `.conflict` when there is a key of that id, `.notFound` when it is bound to an app
    ///   that does not exist.
    func createKey(_ key: APIKey) async throws

    /// The key of that id, expired and revoked ones included, or `nil`.
    func key(_ id: APIKeyID) async throws -> APIKey?

    /// All keys in the order of their ids, expired and revoked ones included.
    ///
    /// - Parameters:
    ///   - cursor: the id behind which to begin; `nil` begins at the first key.
    ///   - limit: the most keys to answer, 1...1000.
    /// - Returns: a page of keys.
    /// - Throws: ``StoreError``.
    func keys(after cursor: APIKeyID?, limit: Int) async throws -> Page<APIKey, APIKeyID>

    /// Revokes a key for good; one that is revoked already keeps its first time.
    ///
    /// - Returns: whether there is such a key.
    @discardableResult
    func revokeKey(_ id: APIKeyID, now: Date) async throws -> Bool
}
