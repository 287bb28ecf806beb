// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

@testable import apus
@testable import apus_bench

@Suite("Senders that are measured side by side", .timeLimit(.minutes(20)))
struct PeerTests {
    private static let app = "com.example.app"
    private static let count = 300

    /// Writes a job at a simulator's devices, hands it to `body`, and stops the simulator.
    ///
    /// `body` returns what the sender said, and gets the job's path and the working directory. One of the tokens is a
    /// stranger's if `isSpoilt`; a job without a `concurrency` leaves it to the sender.
    private static func job(
        isSpoilt: Bool = false,
        concurrency: Int? = 50,
        _ body: (_ job: String, _ directory: String) async throws -> String
    ) async throws -> (report: WorkloadReport, arrived: Int) {
        try await withTemporaryDirectory { directory in
            let population = try PopulationConfiguration(count: Self.count, app: Self.app)
            let simulator = try await SimulatorProcess(
                in: directory,
                arguments: ["--population", "\(population.count)", "--population-app", population.app]
            )
            var tokens = Array(PopulationTokens(population))
            if isSpoilt { tokens[7] = String(repeating: "0", count: 64) }
            try WorkloadNotification.list(to: tokens).write(to: "\(directory)/notifications.ndjson")
            let job = SenderWorkload(
                at: simulator.endpoints,
                in: "\(directory)/simulator",
                topic: Self.app,
                notificationsPath: "\(directory)/notifications.ndjson",
                concurrency: concurrency
            )
            let path = "\(directory)/job.json"
            try JSON.encoder.encode(job).write(to: URL(fileURLWithPath: path))
            let line = try await body(path, directory)
            let control = SimulatorClient(url: "http://127.0.0.1:\(simulator.endpoints.controlPort)")
            let arrived = try await control.info().counters.delivered
            #expect(await simulator.process.stop() == 0)
            return (try JSON.decoder.decode(WorkloadReport.self, from: Data(line.utf8)), arrived)
        }
    }

    private static let script = PythonEnvironment.file("dev/peers/aioapns/send.py")

    @Test("aioapns sends every notification of a job, on either event loop", arguments: [[], ["--uvloop"]])
    func aioapns(options: [String]) async throws {
        let (report, arrived) = try await Self.job { job, directory in
            try await PythonEnvironment.run([Self.script, job] + options, in: directory).last ?? ""
        }
        #expect(report.sent == Self.count)
        #expect(report.accepted == Self.count)
        #expect(report.refusal == nil)
        #expect(arrived == Self.count)
    }

    @Test("Apus's own client sends every notification of a job, many by a call or one", arguments: [nil, 50] as [Int?])
    func client(concurrency: Int?) async throws {
        let (report, arrived) = try await Self.job(concurrency: concurrency) { job, directory in
            let run = try await CommandRun("client-peer", job, of: BuiltExecutable.bench, in: directory)
            #expect(run.status == 0, "\(run.lines.last ?? "") \(run.errors)")
            return run.lines.last ?? ""
        }
        #expect(report.sent == Self.count)
        #expect(report.accepted == Self.count)
        #expect(report.refusal == nil)
        #expect(arrived == Self.count)
    }

    @Test("a sender says what was refused")
    func refusal() async throws {
        let script = try await Self.job(isSpoilt: true) { job, directory in
            try await PythonEnvironment.run([Self.script, job], in: directory).last ?? ""
        }
        func client(concurrency: Int?) async throws -> (report: WorkloadReport, arrived: Int) {
            try await Self.job(isSpoilt: true, concurrency: concurrency) { job, directory in
                try await CommandRun("client-peer", job, of: BuiltExecutable.bench, in: directory).lines.last ?? ""
            }
        }
        for (report, arrived) in [script, try await client(concurrency: nil), try await client(concurrency: 50)] {
            #expect(report.accepted == Self.count - 1)
            #expect(report.refusal == "400 BadDeviceToken")
            #expect(arrived == Self.count - 1)
        }
    }

    @Test("every sender has its place in the result, with what was measured")
    func comparison() async throws {
        struct Comparison: Decodable {
            let count: Int
            let rounds: Int
            let senders: [SenderResult]
        }
        try await withTemporaryDirectory { directory in
            let run = try await CommandRun(
                "peers",
                "--count",
                "200",
                "--json",
                of: BuiltExecutable.bench,
                in: directory
            )
            #expect(run.status == 0, "\(run.lines.last ?? "") \(run.errors)")
            let comparison: Comparison = try run.lastLine()
            #expect(comparison.count == 200)
            #expect(comparison.rounds == 3)
            #expect(comparison.senders.map(\.name) == Peer.own.map(\.name))
            for sender in comparison.senders {
                #expect(sender.perRound.count == 3)
                #expect(sender.perRound.sorted()[1] == sender.perSecond)
                #expect(sender.perSecond > 0)
            }
            let single = try #require(comparison.senders.first { !$0.attempts.isEmpty })
            #expect(single.attempts.map(\.concurrency) == Peer.usualConcurrencies)
            #expect(single.concurrency == single.attempts.max { $0.perSecond < $1.perSecond }?.concurrency)
        }
    }

    @Test("a notification reaches every sender as the same values")
    func payload() throws {
        let notification = try #require(WorkloadNotification.list(to: ["aa", "bb"]).last)
        let payload = try JSON.decoder.decode(SimulatorClient.Payload.self, from: Data(notification.payload.bytes))
        #expect(payload.aps.alert?.title == "Your order 1")
        #expect(payload.aps.alert?.body?.contains(" 2 minutes") == true)
    }
}
