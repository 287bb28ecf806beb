// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import ArgumentParser
import CommandLineSupport
import Foundation

/// The APNs client alone on one core, against nghttpd on another, compared with h2load against the same nghttpd.
struct SenderBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sender",
        abstract: "The APNs client on one core, in requests per second and CPU per request, compared with h2load."
    )

    @Flag(help: "Measure AsyncHTTPClient too, with the same requests from the same core.")
    var compare = false

    @OptionGroup var size: BenchArguments

    private struct Report: Encodable {
        var apusPerS: Double
        var h2loadPerS: Double
        var ratio: Double
        var cpuUs: Double
        var rssMb: Double
        var cores: Int
        var rounds: Int
        var requests: Int
        var connections: Int
        var streams: Int
        var payloadBytes: Int
        var tokens: Int
        var apusRounds: [Double]
        var h2loadRounds: [Double]
        var asyncHttpClientPerS: Double?
        var asyncHttpClientCpuUs: Double?
    }

    func run() async throws {
        let report = try await BenchDirectory.with { path in
            let directory = URL(fileURLWithPath: path)
            let server = try await Nghttpd.start(in: directory, streams: self.size.streams, core: 1)
            return try await perform {
                try await self.measure(server, in: directory)
            } finally: {
                await server.stop()
            }
        }
        try self.tell(report)
    }

    private func measure(_ server: Nghttpd, in directory: URL) async throws -> Report {
        let h2load = H2Load(
            port: server.port,
            authorization: try ProviderKey.bench().authorization(now: Date()),
            tokens: BenchNotification.tokens(Nghttpd.tokenCount),
            arguments: self.size,
            directory: directory
        )
        var workers: [SenderReport] = []
        var others: [SenderReport] = []
        var rates: [Double] = []
        for round in 1...self.size.rounds.count {
            rates.append(try await h2load.run(core: 0))
            workers.append(try await self.runWorker(.apus, requests: self.size.requests, server, in: directory))
            if self.compare {
                let requests = max(10_000, self.size.requests / 20)
                others.append(try await self.runWorker(.asyncHTTPClient, requests: requests, server, in: directory))
            }
            Console.note(
                "round \(round): h2load \(Int(rates[round - 1]))/s, apus \(Int(workers[round - 1].perSecond))/s"
            )
        }
        guard workers.allSatisfy({ $0.rejected == 0 }) else {
            throw CommandError("rejected", "nghttpd did not respond to every request with 200.")
        }
        let apus = workers.map(\.perSecond).median
        return Report(
            apusPerS: apus.rounded(),
            h2loadPerS: rates.median.rounded(),
            ratio: (apus / rates.median).rounded(toPlaces: 3),
            cpuUs: workers.map(\.cpuMicroseconds).median.rounded(toPlaces: 2),
            rssMb: (workers.map(\.peakResidentMiB).max() ?? 0).rounded(toPlaces: 1),
            cores: CPUAffinity.count,
            rounds: self.size.rounds.count,
            requests: self.size.requests,
            connections: self.size.connections,
            streams: self.size.streams,
            payloadBytes: BenchNotification.payloadSize,
            tokens: Nghttpd.tokenCount,
            apusRounds: workers.map { $0.perSecond.rounded() },
            h2loadRounds: rates.map { $0.rounded() },
            asyncHttpClientPerS: others.isEmpty ? nil : others.map(\.perSecond).median.rounded(),
            asyncHttpClientCpuUs: others.isEmpty ? nil : others.map(\.cpuMicroseconds).median.rounded(toPlaces: 2)
        )
    }

    private func runWorker(
        _ engine: SenderEngine,
        requests: Int,
        _ server: Nghttpd,
        in directory: URL
    ) async throws -> SenderReport {
        let (executable, arguments) = CPUAffinity.pinned(
            CurrentExecutable.path,
            [
                "sender-worker", "--port", "\(server.port)", "--certificate", server.certificate.path,
                "--tokens", server.tokens.path, "--requests", "\(requests)", "--engine", engine.rawValue,
                "--connections", "\(self.size.connections)", "--streams", "\(self.size.streams)",
            ],
            to: 0
        )
        let log = directory.appending(path: "worker.log").path
        return try await ExternalTool.report(SenderReport.self, of: executable, arguments, log: log)
    }

    private func tell(_ report: Report) throws {
        if self.size.rounds.output.json { return try Console.report(report) }
        Console.out("apus    \(Int(report.apusPerS)) requests/s on one core, \(report.cpuUs) us CPU each")
        Console.out("h2load  \(Int(report.h2loadPerS)) requests/s")
        if let rate = report.asyncHttpClientPerS, let cpu = report.asyncHttpClientCpuUs {
            Console.out("AsyncHTTPClient  \(Int(rate)) requests/s, \(cpu) us CPU each")
        }
        Console.out("ratio   \(report.ratio)    memory \(report.rssMb) MiB at most")
    }
}

/// The report of a sender process.
struct SenderReport: Codable {
    let perSecond: Double
    let cpuMicroseconds: Double
    let peakResidentMiB: Double
    let rejected: Int
}

/// Which client a sender uses.
enum SenderEngine: String, ExpressibleByArgument {
    case apus
    case asyncHTTPClient = "async-http-client"
}
