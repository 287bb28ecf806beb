// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// A store with the devices of a population in it, made once and copied for every round.
struct PreparedStore: Sendable {
    let store: BenchStore
    let population: BenchPopulation

    /// The server that has the store as a database, and the database's name.
    private let database: (server: DatabaseServer, name: String)?

    /// Registers a population of so many devices in a store.
    ///
    /// - Parameters:
    ///   - devices: how many devices there are.
    ///   - directory: below which the store is kept, if it is a file.
    ///   - url: the PostgreSQL server in which it is a database instead, or `nil`.
    /// - Returns: the store.
    /// - Throws: ``CommandFailure``.
    static func make(devices: Int, in directory: String, url: String? = nil) async throws -> PreparedStore {
        let population = try BenchPopulation(count: devices)
        let name = "prepared-\(devices)"
        let server = url.map { DatabaseServer(url: $0, log: "\(directory)/psql.log") }
        try await server?.create(name)
        let store = BenchStore(data: "\(directory)/\(name)", url: server?.url(of: name))
        Console.note("registering \(devices) devices")
        try await store.open { store in try await population.register(in: store) }
        return PreparedStore(store: store, population: population, database: server.map { ($0, name) })
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
