// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// A store with the devices of a population in it, made once and copied for every round.
struct PreparedStore: Sendable {
    let directory: String
    let population: BenchPopulation

    /// Registers a population of so many devices in a store below `directory`.
    static func make(devices: Int, in directory: String) async throws -> PreparedStore {
        let population = try BenchPopulation(count: devices)
        let path = "\(directory)/prepared-\(devices)"
        Console.note("registering \(devices) devices")
        try await LocalStore.open(path) { store in try await population.register(in: store) }
        return PreparedStore(directory: path, population: population)
    }

    /// Copies the store to a directory that does not exist yet.
    func copy(to path: String) throws {
        try FileManager.default.copyItem(atPath: self.directory, toPath: path)
    }

    /// Gives the disk space back.
    func remove() {
        try? FileManager.default.removeItem(atPath: self.directory)
    }
}
