// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel

/// `apus-bench tenants`: the sends of a quiet tenant, alone and beside a hostile one.
struct TenantsBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenants",
        abstract: "The sends of a quiet app, alone and beside a hostile app and clients with unknown keys."
    )

    /// The quiet tenant sends about 100 notifications per second.
    private static let quietConnections = 4
    private static let quietPause = 40

    /// 10,000 unknown keys per second.
    private static let strangerConnections = 100
    private static let strangerPause = 10

    @OptionGroup var rounds: RoundsArguments

    @Option(help: "How many devices the hostile app has.")
    var devices = 200_000

    @Option(help: "Seconds of each measurement.")
    var seconds = 10

    @Option(help: "URL of a PostgreSQL server, in which psql creates the store's database. Default: a SQLite file.")
    var storeURL: String?

    private struct Round: Sendable {
        let alone: WRK.Report
        let beside: WRK.Report
        let strangers: WRK.Report
        let hostile: HostileTenant.Counts
    }

    private struct Report: Encodable {
        var devices: Int
        var aloneP50Ms: Double
        var aloneP99Ms: Double
        var p50Ms: Double
        var p99Ms: Double
        var p99Ratio: Double
        var perS: Double
        var unknownKeysPerS: Double
        var estimates: Int
        var refusedEstimates: Int
        var streams: Int
        var refusedStreams: Int
        var exports: Int
        var imports: Int
    }

    func validate() throws {
        try self.check("--devices", self.devices, in: 1000...10_000_000)
        try self.check("--seconds", self.seconds, in: 1...300)
    }

    func run() async throws {
        let rounds = try await self.rounds.measure(devices: 1000, badRate: 0, storeURL: self.storeURL) { bench in
            try await self.measure(bench)
        } preparing: { store, _ in
            Console.note("registering \(self.devices) devices of the hostile app")
            try await HostileTenant.register(self.devices, in: store)
        }
        func median(_ part: (Round) -> Double, places: Int = 2) -> Double {
            rounds.map(part).median.rounded(toPlaces: places)
        }
        func sum(_ part: (HostileTenant.Counts) -> Int) -> Int { rounds.reduce(0) { $0 + part($1.hostile) } }
        let report = Report(
            devices: self.devices,
            aloneP50Ms: median { $0.alone.p50 },
            aloneP99Ms: median { $0.alone.p99 },
            p50Ms: median { $0.beside.p50 },
            p99Ms: median { $0.beside.p99 },
            p99Ratio: median { $0.beside.p99 / $0.alone.p99 },
            perS: median({ $0.beside.perSecond }, places: 0),
            unknownKeysPerS: median({ $0.strangers.perSecond }, places: 0),
            estimates: sum(\.estimates),
            refusedEstimates: sum(\.refusedEstimates),
            streams: sum(\.streams),
            refusedStreams: sum(\.refusedStreams),
            exports: sum(\.exports),
            imports: sum(\.imports)
        )
        if self.rounds.output.json { return try Console.report(report) }
        Console.out("alone   p50 \(report.aloneP50Ms) ms, p99 \(report.aloneP99Ms) ms")
        Console.out("beside  p50 \(report.p50Ms) ms, p99 \(report.p99Ms) ms: \(report.p99Ratio) times as long")
        Console.out("load    \(Int(report.unknownKeysPerS)) unknown keys/s; \(report.estimates) estimates, ")
        Console.out("        \(report.streams) streams, \(report.exports) exports, \(report.imports) imports")
    }

    private func measure(_ bench: BenchmarkEnvironment) async throws -> Round {
        let stage = bench.stage
        try await stage.addCredential(to: HostileTenant.app)
        let population = bench.population
        let items = try (0..<population.configuration.count).map { try population.installation($0).rawValue }
        let quiet = WRK(
            url: stage.server.url,
            key: try await Self.key(of: bench.app, on: stage),
            directory: stage.directory,
            items: items
        )
        let send = WRK.Call(
            method: "POST",
            path: "/v1/apps/\(bench.app)/notifications",
            headers: ["Content-Type": "application/json"],
            body: #"{"targets":{"devices":["{1}"]},"payload":\#(BenchNotification.payload)}"#,
            pauseMilliseconds: Self.quietPause
        )
        // The connections are open before anything is measured.
        _ = try await quiet.run(send, connections: Self.quietConnections, seconds: 1)
        let alone = try await quiet.run(send, connections: Self.quietConnections, seconds: self.seconds)
        let hostile = HostileTenant(
            url: stage.server.url,
            key: try await Self.key(of: HostileTenant.app, on: stage)
        )
        let strangers = WRK(url: stage.server.url, key: "", directory: stage.directory, items: ["none"])
        let stranger = WRK.Call(
            path: "/v1/apps/\(bench.app)",
            headers: ["Authorization": "Bearer apus_f{n}_\(String(repeating: "0", count: 64))"],
            pauseMilliseconds: Self.strangerPause,
            isRejected: true
        )
        let load = Task { try await hostile.run() }
        async let named = strangers.run(stranger, connections: Self.strangerConnections, seconds: self.seconds + 2)
        // The load has begun when the sends are measured.
        try await Task.sleep(for: .seconds(1))
        let beside = try await quiet.run(send, connections: Self.quietConnections, seconds: self.seconds)
        let report = try await named
        load.cancel()
        try await load.value
        Console.note("p99 \(beside.p99) ms, alone \(alone.p99) ms; \(Int(report.perSecond)) unknown keys/s")
        return Round(alone: alone, beside: beside, strangers: report, hostile: hostile.result)
    }

    /// Creates a key that is bound to an app.
    private static func key(of app: String, on stage: LocalTestEnvironment) async throws -> String {
        struct Draft: Encodable {
            let name = "tenant"
            let scopes = ["send", "campaigns", "devices", "read"]
            let app: String
        }
        let key: KeyResponse = try await stage.api.call(.post, "/v1/keys", sending: Draft(app: app)).decoded()
        guard let text = key.key else { throw CommandError("bad_run", "The server created no key.") }
        return text
    }
}
