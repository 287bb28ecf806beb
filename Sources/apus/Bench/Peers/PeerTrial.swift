// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Notifications that every sender is given in turn, and the simulator that counts what arrives.
struct PeerTrial: Sendable {
    private let stage: ServerStage
    private let app: String
    private let notifications: [PeerNotification]
    private let path: String

    /// Writes the notifications into the stage's directory.
    init(_ notifications: [PeerNotification], named name: String, app: String, on stage: ServerStage) throws {
        self.stage = stage
        self.app = app
        self.notifications = notifications
        self.path = "\(stage.directory)/\(name).ndjson"
        try notifications.write(to: self.path)
    }

    /// Lets one sender send all notifications.
    ///
    /// - Parameters:
    ///   - peer: the sender.
    ///   - concurrency: how many notifications it may have in flight; `nil` where it decides itself.
    /// - Returns: what it says; of the server, which reports nothing, what is seen from outside.
    /// - Throws: ``CommandFailure`` `.bad_run` unless it had an answer of 200 to each, and as many arrived.
    func run(_ peer: Peer, concurrency: Int?) async throws -> PeerReport {
        let before = try await self.stage.control.info().counters.delivered
        let report =
            switch peer.means {
            case .process(let executable, let arguments):
                try await self.runProcess(executable, arguments, concurrency: concurrency)
            case .stream: try await self.runStream()
            }
        let arrived = try await self.stage.control.info().counters.delivered - before
        let count = self.notifications.count
        guard report.accepted == count, arrived == count else {
            let counts = "\(report.accepted) of \(count) were answered with 200, and \(arrived) arrived"
            let refusal = report.refusal.map { "; one was answered with: \($0)" } ?? ""
            throw CommandFailure("bad_run", "\(peer.name): \(counts)\(refusal)")
        }
        return report
    }

    private func runProcess(_ executable: String, _ arguments: [String], concurrency: Int?) async throws -> PeerReport {
        let job = PeerJob(
            at: self.stage.simulator,
            in: "\(self.stage.directory)/simulator",
            topic: self.app,
            notificationsPath: self.path,
            concurrency: concurrency
        )
        let path = "\(self.stage.directory)/job.json"
        try JSON.encoder.encode(job).write(to: URL(fileURLWithPath: path))
        let lines = try await Tool.run(executable, arguments + [path], log: "\(self.stage.directory)/peer.log")
        guard let line = lines.last else { throw CommandFailure("no_report", "\(executable) reported nothing.") }
        return try JSON.decoder.decode(PeerReport.self, from: Data(line.utf8))
    }

    private func runStream() async throws -> PeerReport {
        let count = self.notifications.count
        let pieces = try self.notifications.streamPieces()
        let server = self.stage.serverProcess.processID
        let cpu = ProcessTable.processorSeconds(of: server)
        let seconds = try await MeasuredStream.run(pieces, count: count, app: self.app, on: self.stage)
        return PeerReport(
            sent: count,
            accepted: count,
            refusal: nil,
            seconds: seconds,
            cpuSeconds: ProcessTable.processorSeconds(of: server) - cpu,
            peakMiB: ProcessTable.peakMebibytes(of: server)
        )
    }
}
