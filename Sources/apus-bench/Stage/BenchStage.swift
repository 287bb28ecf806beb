// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import PushStore

/// A server and a simulator that share a population of devices, for one round of a measurement.
struct BenchStage: Sendable {
    let stage: ServerStage
    let population: BenchPopulation

    var app: String { self.population.configuration.app }
    var server: Int32 { self.stage.serverProcess.processID }

    /// Starts both on a copy of a prepared store, hands them to `body`, and stops them.
    ///
    /// `check` reads the store after the server has stopped.
    /// - Throws: ``CommandFailure`` when one of both does not start or stop, and what the closures throw.
    static func with<Value: Sendable>(
        _ prepared: PreparedStore,
        simulatorArguments: [String] = [],
        _ body: (BenchStage) async throws -> Value,
        check: (BenchStore) async throws -> Void = { _ in }
    ) async throws -> Value {
        try await BenchDirectory.with { directory in
            try await prepared.template.withCopy(at: "\(directory)/server") { store in
                let stage = try await ServerStage.open(
                    in: directory,
                    executable: try ApusExecutable.path(),
                    storeURL: store.url,
                    simulatorArguments: prepared.population.simulatorArguments + simulatorArguments
                )
                let value: Value
                do {
                    try await stage.addCredential(to: prepared.population.configuration.app)
                    value = try await body(BenchStage(stage: stage, population: prepared.population))
                } catch {
                    try? await stage.close()
                    throw error
                }
                try await stage.close()
                try await check(store)
                return value
            }
        }
    }
}

/// A store with the devices of a population in it.
struct PreparedStore: Sendable {
    let template: StoreTemplate
    let population: BenchPopulation

    /// Registers a population of so many devices in a store.
    ///
    /// `badRate` is the share of devices with a bad token, from 0 to 1. With `url`, the store is a database of that
    /// PostgreSQL server. Otherwise the store is a file below `directory`.
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

/// A directory for one measurement.
enum BenchDirectory {
    /// Makes one, hands it to `body`, and removes it.
    static func with<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(path: "apus-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory.path)
    }
}
