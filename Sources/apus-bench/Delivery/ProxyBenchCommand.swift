// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation

/// Messages of the original client of apns-proxy-server.
struct ProxyBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Messages per second from the original client of apns-proxy-server: stored while others are sent."
    )

    @OptionGroup var rounds: RoundsArguments

    @Option(help: "How many messages a round has.")
    var messages = 200_000

    @Option(help: "A Python with the client.")
    var python: String

    @Option(help: "The script that sends by the client.")
    var script: String

    private struct Report: Encodable {
        var messages: Int
        var seconds: Double
        var perS: Double
        var roundsPerS: [Double]
    }

    /// What the script reports.
    private struct Sent: Decodable {
        /// When it began, in seconds since 1970.
        let began: Double
    }

    func validate() throws { try self.check("--messages", self.messages, in: 1000...10_000_000) }

    func run() async throws {
        let population = try BenchPopulation(count: 10_000, badRate: 0)
        let seconds = try await self.rounds.measure { round in
            let taken = try await BenchDirectory.with { try await self.measure(population, in: $0) }
            Console.note("round \(round): \(Int(Double(self.messages) / taken))/s")
            return taken
        }
        let report = Report(
            messages: self.messages,
            seconds: seconds.median.rounded(toPlaces: 2),
            perS: (Double(self.messages) / seconds.median).rounded(),
            roundsPerS: seconds.map { (Double(self.messages) / $0).rounded() }
        )
        if self.rounds.output.json { return try Console.report(report) }
        Console.out("\(Int(report.perS)) messages/s stored")
    }

    /// Returns the seconds from the first message to the commit of the last one.
    private func measure(_ population: BenchPopulation, in directory: String) async throws -> Double {
        let app = population.configuration.app
        let stage = try await LocalTestEnvironment.open(
            in: directory,
            executable: try ApusExecutable.path(),
            simulatorArguments: population.simulatorArguments,
            serverArguments: ["--proxy-port", "0", "--proxy-apps", "14=\(app)"]
        )
        return try await perform {
            try await stage.createApp(app, name: "bench")
            let tokens = "\(directory)/tokens.txt"
            try Data(population.tokens.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: tokens))
            guard let port = stage.server.proxyPort else {
                throw CommandError("bad_run", "The server did not name the port of the proxy protocol.")
            }
            let arguments = ["-B", self.script, "\(port)", "14", tokens, "\(self.messages)"]
            let log = "\(directory)/client.log"
            let sent = try await ExternalTool.report(Sent.self, of: self.python, arguments, log: log)
            while try await Self.stored(stage.api) < self.messages { try await Task.sleep(for: .milliseconds(5)) }
            return Date().timeIntervalSince1970 - sent.began
        } finally: {
            try await stage.close()
        }
    }

    private static func stored(_ api: APIClient) async throws -> Int {
        let lines = try await api.call(.get, "/metrics").text.split(separator: "\n")
        let line = lines.first { $0.hasPrefix(#"apus_proxy_messages_total{result="stored"}"#) }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
    }
}
