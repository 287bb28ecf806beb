// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import PushStore

/// A server and a simulator that share a population of devices, for one round of a measurement.
struct BenchmarkEnvironment: Sendable {
    let stage: LocalTestEnvironment
    let population: BenchPopulation

    var app: String { self.population.configuration.app }
    var server: Int32 { self.stage.serverProcess.processID }

    /// Starts both with a copy of a prepared store, passes them to `body`, and stops them.
    ///
    /// `check` reads the store after the server has stopped.
    /// - Throws: ``CommandError`` if one of them does not start or stop, and the errors of the closures.
    static func with<Value: Sendable>(
        _ prepared: PreparedStore,
        simulatorArguments: [String] = [],
        _ body: (BenchmarkEnvironment) async throws -> Value,
        check: (BenchStore) async throws -> Void = { _ in }
    ) async throws -> Value {
        try await BenchDirectory.with { directory in
            try await prepared.template.withCopy(at: "\(directory)/server") { store in
                let value = try await self.run(
                    prepared.population,
                    in: directory,
                    storeURL: store.url,
                    simulatorArguments: simulatorArguments
                ) { bench in
                    try await bench.stage.addCredential(to: bench.app)
                    return try await body(bench)
                }
                try await check(store)
                return value
            }
        }
    }

    /// Creates an app in an empty store, starts both, calls `body`, and stops them.
    ///
    /// - Throws: ``CommandError`` when one of both does not start or stop, and what `body` throws.
    static func with<Value: Sendable>(
        _ population: BenchPopulation,
        _ body: (BenchmarkEnvironment) async throws -> Value
    ) async throws -> Value {
        try await BenchDirectory.with { directory in
            try await self.run(population, in: directory) { bench in
                try await bench.stage.createApp(bench.app, name: "bench")
                return try await body(bench)
            }
        }
    }

    private static func run<Value: Sendable>(
        _ population: BenchPopulation,
        in directory: String,
        storeURL: String? = nil,
        simulatorArguments: [String] = [],
        _ body: (BenchmarkEnvironment) async throws -> Value
    ) async throws -> Value {
        let stage = try await LocalTestEnvironment.open(
            in: directory,
            executable: try ApusExecutable.path(),
            storeURL: storeURL,
            simulatorArguments: population.simulatorArguments + simulatorArguments
        )
        return try await perform {
            try await body(BenchmarkEnvironment(stage: stage, population: population))
        } finally: {
            try await stage.close()
        }
    }
}

extension RoundsArguments {
    /// Repeats a measurement, each time with a server on a new copy of a store.
    ///
    /// `badRate` is the share of devices with a bad token. With `isSealed`, device tokens and contents are sealed at rest.
    /// With `storeURL`, the stores are databases of that PostgreSQL server. `check` gets the copy after the server has stopped, `prepare` the store with the registered devices.
    func measure<Round: Sendable>(
        devices: Int,
        badRate: Double = 0.01,
        isSealed: Bool = false,
        storeURL: String? = nil,
        simulatorArguments: [String] = [],
        _ measure: (BenchmarkEnvironment) async throws -> Round,
        check: (BenchStore) async throws -> Void = { _ in },
        preparing prepare: (any PushStore, BenchPopulation) async throws -> Void = { _, _ in }
    ) async throws -> [Round] {
        try await BenchDirectory.with { directory in
            let prepared = try await PreparedStore.make(
                devices: devices,
                badRate: badRate,
                in: directory,
                url: storeURL,
                with: prepare
            )
            if isSealed { try await prepared.template.store.seal() }
            return try await self.measure { round in
                Console.note("round \(round) of \(self.count)")
                return try await BenchmarkEnvironment.with(
                    prepared,
                    simulatorArguments: simulatorArguments,
                    measure,
                    check: check
                )
            }
        }
    }
}

/// Calls `body`, and then `close`, whether `body` returns or throws.
///
/// - Throws: what `body` throws; otherwise what `close` throws.
func perform<Value: Sendable>(
    _ body: () async throws -> Value,
    finally close: () async throws -> Void
) async throws -> Value {
    let value: Value
    do {
        value = try await body()
    } catch {
        try? await close()
        throw error
    }
    try await close()
    return value
}

/// A store with the devices of a population in it.
struct PreparedStore: Sendable {
    let template: StoreTemplate
    let population: BenchPopulation

    /// Registers a population in a store.
    ///
    /// `badRate` is the share of devices with an invalid token, from 0 to 1. With `url`, the store is a database of
    /// that PostgreSQL server. Otherwise the store is a file below `directory`.
    /// - Throws: ``CommandError``.
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

/// A simulator in a separate process, for measurements without a server.
struct BenchSimulator: Sendable {
    let endpoints: SimulatorEndpoints
    let processID: Int32
    let directory: URL

    /// Starts a simulator, calls `body` with it, and stops it.
    ///
    /// With `core`, it runs only there.
    static func with<Value: Sendable>(
        arguments: [String] = [],
        core: Int? = nil,
        _ body: (BenchSimulator) async throws -> Value
    ) async throws -> Value {
        try await BenchDirectory.with { directory in
            var command = (
                try ApusExecutable.path(),
                ["simulate", "--dir", directory, "--json", "--exit-on-stdin-close"] + arguments
            )
            if let core { command = CPUAffinity.pinned(command.0, command.1, to: core) }
            let process = try ChildProcess(
                executable: command.0,
                arguments: command.1,
                log: "\(directory)/simulator.log"
            )
            return try await perform {
                let endpoints = try await process.ready(SimulatorEndpoints.self)
                let place = URL(fileURLWithPath: directory)
                return try await body(
                    BenchSimulator(endpoints: endpoints, processID: process.processID, directory: place)
                )
            } finally: {
                await process.stop()
            }
        }
    }
}

/// A directory for one measurement.
enum BenchDirectory {
    /// Creates one, passes it to `body`, and removes it.
    static func with<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(path: "apus-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory.path)
    }
}
