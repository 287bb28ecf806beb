// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// Calls to the server of a stage, beside `GET /healthz` in the same run, which is what HTTP alone costs.
struct CallBench: Sendable {
    /// What calls of one kind took.
    struct Measured: Sendable {
        /// Calls per second.
        let perSecond: Double

        /// The server's processor time for each call.
        ///
        /// Unit: microseconds.
        let cpuMicroseconds: Double

        /// How often a thread of the server gave up its core for each call.
        let contextSwitches: Double

        /// Unit: milliseconds.
        let p99: Double
    }

    /// How many connections an ordinary measurement uses.
    static let connections = 64

    /// How long the server has to finish what it accepted.
    private static let deadline: Duration = .seconds(120)

    let bench: BenchStage
    let load: WRK
    let seconds: Int

    init(_ bench: BenchStage, items: [String], seconds: Int) {
        self.bench = bench
        self.load = WRK(
            url: bench.stage.server.url,
            key: bench.stage.key,
            directory: bench.stage.directory,
            items: items
        )
        self.seconds = seconds
    }

    /// Calls to `/healthz` in a second.
    func healthz() async throws -> Double {
        try await self.load.run(WRK.Call(path: "/healthz"), connections: Self.connections, seconds: self.seconds)
            .perSecond
    }

    /// Makes calls that are done with their response.
    func measure(_ call: WRK.Call, connections: Int = Self.connections) async throws -> Measured {
        try await self.measure(call, connections: connections) { $0.requests }
    }

    /// Makes calls that send one notification each, until the last one is settled.
    func send(_ call: WRK.Call, connections: Int = Self.connections) async throws -> Measured {
        let before = try await self.metrics()
        return try await self.measure(call, connections: connections) { _ in
            let start = ContinuousClock.now
            while ContinuousClock.now - start < Self.deadline {
                let now = try await self.metrics()
                let accepted = now.accepted - before.accepted
                if accepted > 0, now.settled - before.settled >= accepted { return accepted }
                try await Task.sleep(for: .milliseconds(20))
            }
            throw CommandFailure("too_slow", "The server did not settle what it accepted within \(Self.deadline).")
        }
    }

    private func measure(
        _ call: WRK.Call,
        connections: Int,
        finish: (WRK.Report) async throws -> Int
    ) async throws -> Measured {
        let server = self.bench.server
        let cpu = ProcessTable.processorSeconds(of: server)
        let switches = ProcessTable.contextSwitches(of: server)
        let start = ContinuousClock.now
        let report = try await self.load.run(call, connections: connections, seconds: self.seconds)
        let count = Double(try await finish(report))
        return Measured(
            perSecond: count / ((ContinuousClock.now - start) / .seconds(1)),
            cpuMicroseconds: (ProcessTable.processorSeconds(of: server) - cpu) * 1e6 / count,
            contextSwitches: Double(ProcessTable.contextSwitches(of: server) - switches) / count,
            p99: report.p99
        )
    }

    /// How many targets the API has accepted, and how many are settled.
    private func metrics() async throws -> (accepted: Int, settled: Int) {
        let text = try await self.bench.stage.api.call(.get, "/metrics").text
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
    let p99: Double

    init(_ rounds: [CallBench.Measured]) {
        self.perSecond = rounds.map(\.perSecond).median.rounded()
        self.cpuMicroseconds = rounds.map(\.cpuMicroseconds).median.rounded(toPlaces: 1)
        self.contextSwitches = rounds.map(\.contextSwitches).median.rounded(toPlaces: 2)
        self.p99 = rounds.map(\.p99).median.rounded(toPlaces: 2)
    }
}
