// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation

/// A measured sender.
struct Peer: Sendable {
    /// How it sends.
    enum Means: Sendable {
        /// A separate process, which reads the ``SenderWorkload`` at the given path and writes a ``WorkloadReport``.
        case process(executable: String, arguments: [String])
        /// The server of the stage, by one stream.
        case stream
        /// The server of the stage, by calls of `wrk` with one notification each.
        case singles
    }

    let name: String
    let means: Means

    /// The concurrencies to try, of which the best is used; empty if the sender decides.
    let concurrencies: [Int]

    /// The concurrencies for senders that do not decide.
    static let usualConcurrencies = [20, 100, 500, 1000]

    /// Apus's own: the client with many notifications by a call and with one, and the whole server likewise.
    static var own: [Peer] {
        let client = Means.process(executable: CurrentExecutable.path, arguments: ["client-peer"])
        return [
            Peer(name: "apus client", means: client, concurrencies: []),
            Peer(name: "apus client, a call for each", means: client, concurrencies: Self.usualConcurrencies),
            Peer(name: "apus server, durable stream", means: .stream, concurrencies: []),
            Peer(name: "apus server, a durable call for each", means: .singles, concurrencies: [CallBench.connections]),
        ]
    }

    /// A sender built on AsyncHTTPClient.
    static func asyncHTTPClient(executable: String) -> Peer {
        Peer(
            name: "AsyncHTTPClient",
            means: .process(executable: executable, arguments: []),
            concurrencies: Self.usualConcurrencies
        )
    }

    /// A script that sends through aioapns, on both of Python's event loops.
    static func aioapns(python: String, script: String) -> [Peer] {
        [("aioapns", []), ("aioapns with uvloop", ["--uvloop"])].map { name, options in
            Peer(
                name: name,
                means: .process(executable: python, arguments: ["-B", script] + options),
                concurrencies: Self.usualConcurrencies
            )
        }
    }
}

/// The notifications for every sender, and the simulator that counts the deliveries.
struct SenderTrial: Sendable {
    private static let secondsOfSingles = 3

    private let stage: LocalTestEnvironment
    private let app: String
    private let notifications: [WorkloadNotification]
    private let path: String

    /// Writes the notifications into the stage's directory.
    init(
        _ notifications: [WorkloadNotification],
        named name: String,
        app: String,
        on stage: LocalTestEnvironment
    ) throws {
        self.stage = stage
        self.app = app
        self.notifications = notifications
        self.path = "\(stage.directory)/\(name).ndjson"
        try notifications.write(to: self.path)
    }

    /// Runs one sender with all notifications.
    ///
    /// - Returns: its report; for the server, which writes none, the observed values.
    /// - Throws: ``CommandError`` `.bad_run` unless each notification had a 200 response and was delivered.
    func run(_ peer: Peer, concurrency: Int?) async throws -> WorkloadReport {
        let before = try await self.delivered()
        let report =
            switch peer.means {
            case .process(let executable, let arguments):
                try await self.runProcess(executable, arguments, concurrency: concurrency)
            case .stream: try await self.runStream()
            case .singles: try await self.runSingles(concurrency: concurrency ?? CallBench.connections)
            }
        let arrived = try await self.delivered() - before
        // `wrk` ends with a call in flight on each connection, which the server may accept after it was asked for the
        // count.
        let (count, late) =
            if case .singles = peer.means { (report.sent, CallBench.connections) } else {
                (self.notifications.count, 0)
            }
        guard report.accepted == count, (count...count + late).contains(arrived) else {
            let counts = "\(report.accepted) of \(count) had a 200 response, and \(arrived) arrived"
            let refusal = report.refusal.map { "; one failed with: \($0)" } ?? ""
            throw CommandError("bad_run", "\(peer.name): \(counts)\(refusal)")
        }
        return report
    }

    /// The number of deliveries, once those of an earlier run are complete.
    private func delivered() async throws -> Int {
        var delivered = -1
        while true {
            let latest = try await self.stage.control.info().counters.delivered
            if latest == delivered { return latest }
            delivered = latest
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    private func runProcess(
        _ executable: String,
        _ arguments: [String],
        concurrency: Int?
    ) async throws -> WorkloadReport {
        let job = SenderWorkload(
            at: self.stage.simulator,
            in: "\(self.stage.directory)/simulator",
            topic: self.app,
            notificationsPath: self.path,
            concurrency: concurrency
        )
        let path = "\(self.stage.directory)/job.json"
        try JSON.encoder.encode(job).write(to: URL(fileURLWithPath: path))
        let log = "\(self.stage.directory)/peer.log"
        return try await ExternalTool.report(WorkloadReport.self, of: executable, arguments + [path], log: log)
    }

    private func runStream() async throws -> WorkloadReport {
        let count = self.notifications.count
        let pieces = try StreamMeasurement.pieces(count) { number in
            let notification = self.notifications[number]
            return #"{"token":"\#(notification.token)","payload":\#(try notification.payload.text)}"#
        }
        let server = self.stage.serverProcess.processID
        let cpu = ProcessTable.processorSeconds(of: server)
        let seconds = try await StreamMeasurement.run(pieces, count: count, app: self.app, on: self.stage)
        return WorkloadReport(
            sent: count,
            accepted: count,
            refusal: nil,
            seconds: seconds,
            cpuSeconds: ProcessTable.processorSeconds(of: server) - cpu,
            peakMiB: ProcessTable.peakMebibytes(of: server)
        )
    }

    /// Sends the notifications again and again for some seconds, and waits until all are settled.
    private func runSingles(concurrency: Int) async throws -> WorkloadReport {
        let items = try self.notifications.map { "\($0.token)\t\(try $0.payload.text)" }
        let send = WRK.Call(
            method: "POST",
            path: "/v1/apps/\(self.app)/notifications",
            headers: ["Content-Type": "application/json"],
            body: #"{"targets":{"environment":"sandbox","tokens":["{1}"]},"payload":{2}}"#
        )
        let measured = try await CallBench(self.stage, items: items, seconds: Self.secondsOfSingles)
            .send("singles", send, connections: concurrency)
        return WorkloadReport(
            sent: measured.count,
            accepted: measured.count,
            refusal: nil,
            seconds: Double(measured.count) / measured.perSecond,
            cpuSeconds: measured.cpuMicroseconds * Double(measured.count) / 1e6,
            peakMiB: ProcessTable.peakMebibytes(of: self.stage.serverProcess.processID)
        )
    }
}

/// The result of all rounds of one sender.
struct SenderResult: Codable {
    /// How fast it was with one number of notifications in flight, when the best was looked for.
    struct Attempt: Codable {
        let concurrency: Int
        let perSecond: Double

        private enum CodingKeys: String, CodingKey {
            case concurrency
            case perSecond = "per_s"
        }
    }

    let name: String
    let perSecond: Double
    let perRound: [Double]
    /// Seconds of CPU for 100,000 notifications.
    let cpuSeconds: Double
    let peakMiB: Double
    /// The best number of notifications in flight; `nil` for a sender that decides itself.
    let concurrency: Int?
    let attempts: [Attempt]

    private enum CodingKeys: String, CodingKey {
        case name, concurrency
        case perSecond = "per_s"
        case perRound = "rounds_per_s"
        case cpuSeconds = "cpu_s_per_100k"
        case peakMiB = "peak_mb"
        case attempts = "tried"
    }

    /// Medians of rates and CPU, the largest of the peaks.
    init(of peer: Peer, attempts: [Attempt], rounds: [WorkloadReport]) {
        self.name = peer.name
        self.perSecond = rounds.map(\.perSecond).median.rounded()
        self.perRound = rounds.map { $0.perSecond.rounded() }
        self.cpuSeconds = rounds.map { $0.cpuSeconds * 100_000 / Double($0.sent) }.median.rounded(toPlaces: 2)
        self.peakMiB = (rounds.map(\.peakMiB).max() ?? 0).rounded(toPlaces: 1)
        self.concurrency = attempts.best?.concurrency
        self.attempts = attempts
    }
}

extension [SenderResult.Attempt] {
    /// The fastest one.
    var best: SenderResult.Attempt? { self.max { $0.perSecond < $1.perSecond } }
}
