// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

/// A store with the devices of a population in it.
struct PreparedStore: Sendable {
    let template: StoreTemplate
    let population: BenchPopulation

    /// Registers a population of so many devices in a store.
    ///
    /// - Parameters:
    ///   - devices: how many devices there are.
    ///   - badRate: which share of them has a token that is no good.
    ///   - directory: below which the store is kept, if it is a file.
    ///   - url: the PostgreSQL server in which it is a database instead, or `nil`.
    ///   - more: what is put into it beside the devices.
    /// - Returns: the store.
    /// - Throws: ``CommandFailure``.
    static func make(
        devices: Int,
        badRate: Double = 0.01,
        in directory: String,
        url: String? = nil,
        with more: (any PushStore, BenchPopulation) async throws -> Void = { _, _ in }
    ) async throws -> PreparedStore {
        let population = try BenchPopulation(count: devices, badRate: badRate)
        let template = try await StoreTemplate.make("prepared-\(devices)", in: directory, url: url) { store in
            Console.note("registering \(devices) devices")
            try await population.register(in: store)
            try await more(store, population)
        }
        return PreparedStore(template: template, population: population)
    }
}
