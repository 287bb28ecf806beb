// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// Calls to the server of a stage, compared with `GET /healthz` in the same run, which is the cost of HTTP alone.
struct CallBench: Sendable {
    /// The rate and the cost of calls of one kind.
    struct Measured: Sendable {
        let count: Int

        /// Calls per second.
        let perSecond: Double

        /// The server's processor time for each call.
        ///
        /// Unit: microseconds.
        let cpuMicroseconds: Double

        /// Context switches of the server per call.
        let contextSwitches: Double

        /// Response times.
        ///
        /// Unit: milliseconds.
        let p50: Double
        let p99: Double
    }

    /// How many connections an ordinary measurement uses.
    static let connections = 64

    /// The timeout for the server to complete accepted work.
    private static let deadline: Duration = .seconds(120)

    let stage: LocalTestEnvironment
    let load: WRK
    let seconds: Int

    init(_ stage: LocalTestEnvironment, items: [String], seconds: Int) {
        self.stage = stage
        self.load = WRK(url: stage.server.url, key: stage.key, directory: stage.directory, items: items)
        self.seconds = seconds
    }

    /// Calls to `/healthz` per second, by the same client with as many connections.
    func healthz() async throws -> Double {
        let report = try await self.load.run(
            WRK.Call(path: "/healthz"),
            connections: Self.connections,
            seconds: self.seconds
        )
        Console.note("healthz: \(Int(report.perSecond))/s")
        return report.perSecond
    }

    /// Measures calls that are complete with their response.
    func measure(_ name: String, _ call: WRK.Call, connections: Int = Self.connections) async throws -> Measured {
        try await self.measure(name, call, connections: connections) { $0.requests }
    }

    /// Measures calls that send one notification each, until the last one is settled.
    func send(_ name: String, _ call: WRK.Call, connections: Int = Self.connections) async throws -> Measured {
        let before = try await self.metrics()
        return try await self.measure(name, call, connections: connections) { _ in
            let start = ContinuousClock.now
            while ContinuousClock.now - start < Self.deadline {
                let now = try await self.metrics()
                let accepted = now.accepted - before.accepted
                if accepted > 0, now.settled - before.settled >= accepted { return accepted }
                try await Task.sleep(for: .milliseconds(20))
            }
            throw CommandError("too_slow", "\(name): the server did not settle its sends within \(Self.deadline).")
        }
    }

    private func measure(
        _ name: String,
        _ call: WRK.Call,
        connections: Int,
        finish: (WRK.Report) async throws -> Int
    ) async throws -> Measured {
        let server = self.stage.serverProcess.processID
        let cpu = ProcessTable.processorSeconds(of: server)
        let switches = ProcessTable.contextSwitches(of: server)
        let report = try await self.load.run(call, connections: connections, seconds: self.seconds)
        let end = ContinuousClock.now
        let count = try await finish(report)
        // The load generator reads its items before its own clock starts.
        let seconds = report.microseconds / 1e6 + (ContinuousClock.now - end) / .seconds(1)
        let measured = Measured(
            count: count,
            perSecond: Double(count) / seconds,
            cpuMicroseconds: (ProcessTable.processorSeconds(of: server) - cpu) * 1e6 / Double(count),
            contextSwitches: Double(ProcessTable.contextSwitches(of: server) - switches) / Double(count),
            p50: report.p50,
            p99: report.p99
        )
        Console.note("\(name): \(Int(measured.perSecond))/s, \(Int(measured.cpuMicroseconds)) us CPU each")
        return measured
    }

    /// How many targets the API has accepted, and how many are settled.
    private func metrics() async throws -> (accepted: Int, settled: Int) {
        let text = try await self.stage.api.call(.get, "/metrics").text
        func sum(_ name: String) -> Int {
            text.split(separator: "\n").filter { $0.hasPrefix(name) }
                .compactMap { $0.split(separator: " ").last.flatMap { Double($0) }.flatMap { Int(exactly: $0) } }
                .reduce(0, +)
        }
        return (sum("apus_api_accepted_total"), sum("apus_delivery_outcomes_total"))
    }
}

/// The medians of several rounds.
struct MedianCalls {
    let perSecond: Double
    let cpuMicroseconds: Double
    let contextSwitches: Double
    let p50: Double
    let p99: Double

    init(_ rounds: [CallBench.Measured]) {
        self.perSecond = rounds.map(\.perSecond).median.rounded()
        self.cpuMicroseconds = rounds.map(\.cpuMicroseconds).median.rounded(toPlaces: 1)
        self.contextSwitches = rounds.map(\.contextSwitches).median.rounded(toPlaces: 2)
        self.p50 = rounds.map(\.p50).median.rounded(toPlaces: 2)
        self.p99 = rounds.map(\.p99).median.rounded(toPlaces: 2)
    }
}
