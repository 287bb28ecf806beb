// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushStore

/// A store that is filled once and copied for every round.
struct StoreTemplate: Sendable {
    let store: BenchStore

    /// The server that has the store as a database, and the database's name.
    private let database: (server: DatabaseServer, name: String)?

    /// Makes a store and fills it.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - directory: below which the store is kept, if it is a file.
    ///   - url: the PostgreSQL server in which it is a database instead, or `nil`.
    ///   - fill: puts into it what every copy has.
    /// - Returns: the store.
    /// - Throws: ``CommandFailure``, and what `fill` throws.
    static func make(
        _ name: String,
        in directory: String,
        url: String? = nil,
        _ fill: (any PushStore) async throws -> Void
    ) async throws -> StoreTemplate {
        let server = url.map { DatabaseServer(url: $0, log: "\(directory)/psql.log") }
        try await server?.create(name)
        // What is put into it one by one is nobody's only copy, and waits for the disk with the copy that is made of it.
        try await server?.fillFast(name)
        let store = BenchStore(data: "\(directory)/\(name)", url: server?.url(of: name))
        try await store.open { store in try await fill(store) }
        return StoreTemplate(store: store, database: server.map { ($0, name) })
    }

    /// Copies the store, hands the copy to `body`, and removes it.
    ///
    /// The copy is on the disk by then: on its way there it would hold up what is measured.
    /// - Parameters:
    ///   - path: the copy's data directory, which does not exist yet.
    ///   - body: what to do with the copy.
    /// - Returns: what `body` returns.
    /// - Throws: ``CommandFailure``, and what `body` throws.
    func withCopy<Value: Sendable>(
        at path: String,
        _ body: (BenchStore) async throws -> Value
    ) async throws -> Value {
        try FileManager.default.copyItem(atPath: self.store.data, toPath: path)
        guard let (server, template) = self.database else {
            sync()
            return try await body(BenchStore(data: path, url: nil))
        }
        let name = "round-\(UUID().uuidString.lowercased())"
        try await server.create(name, from: template)
        sync()
        do {
            let value = try await body(BenchStore(data: path, url: server.url(of: name)))
            try await server.drop(name)
            return value
        } catch {
            try? await server.drop(name)
            throw error
        }
    }
}
