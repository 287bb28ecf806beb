// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import ArgumentParser
import Crypto
import Foundation
import Logging
import NIOPosix
import Synchronization

/// The sender of `bench sender` in a process of its own, so that its CPU and memory are nobody else's.
struct SenderWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sender-worker", shouldDisplay: false)

    /// nghttpd leaves the last requests of a burst unanswered when a client then falls silent, so the clock stops before.
    private static let countedPart = 0.98
    private static let batchSize = 10_000

    @Option var port: Int
    @Option var certificate: String
    @Option var tokens: String
    @OptionGroup var size: BenchArguments

    /// What a worker reports.
    struct Report: Codable {
        let perSecond: Double
        let cpuMicroseconds: Double
        let peakResidentMiB: Double
        let rejected: Int
    }

    func run() async throws {
        let tokens = try String(contentsOfFile: self.tokens, encoding: .utf8).split(separator: "\n").map {
            try DeviceToken(hex: $0)
        }
        let stopwatch = Stopwatch(goal: Int(Double(self.size.requests) * Self.countedPart))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = APNsClientConfiguration()
        configuration.maximumConnections = self.size.connections
        configuration.maximumStreams = self.size.streams
        configuration.urgentReserve = 0
        configuration.maximumQueuedNotifications = 8 * Self.batchSize
        let client = APNsClient(
            configuration: configuration,
            eventLoopGroup: group,
            logger: Logger(label: "apus.bench", factory: { StreamLogHandler.standardError(label: $0) }),
            metrics: stopwatch
        )
        let destination = try self.destination()
        let batch = SendBatch(
            headers: NotificationHeaders(
                topic: try Topic(BenchNotification.topic),
                pushType: .alert,
                priority: .immediate
            ),
            payload: try APNsPayload(json: BenchNotification.payload),
            tokens: TokenList(tokens),
            firstID: APNsID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0000)
        )
        stopwatch.start()
        await withDiscardingTaskGroup { tasks in
            for _ in 0..<(self.size.requests / tokens.count) {
                tasks.addTask { _ = await client.send(batch, to: destination, lane: .bulk, deadline: .seconds(20)) }
            }
        }
        guard let report = stopwatch.report else {
            throw CommandFailure("incomplete", "Not enough requests were answered within the deadline.")
        }
        try Console.json(report)
    }

    private func destination() throws -> APNsDestination {
        let key = try ProviderKey(
            keyID: "BENCHKEY01",
            teamID: "BENCHTEAM1",
            pem: P256.Signing.PrivateKey().pemRepresentation
        )
        let authority = Array(try Data(contentsOf: URL(fileURLWithPath: self.certificate)))
        let endpoint = APNsEndpoint(
            host: "localhost",
            port: self.port,
            trust: .certificateAuthority(pem: authority)
        )
        return APNsDestination(endpoint: endpoint, credential: .key(key))
    }
}

/// Counts answers, and reads clock and usage at the first one and at the one that reaches the goal.
private final class Stopwatch: APNsClientMetrics {
    private struct State {
        var answered = 0
        var rejected = 0
        var started: ContinuousClock.Instant?
        var startUsage: ProcessUsage?
        var report: SenderWorkerCommand.Report?
    }

    private let goal: Int
    private let state = Mutex(State())

    init(goal: Int) {
        self.goal = goal
    }

    var report: SenderWorkerCommand.Report? { self.state.withLock(\.report) }

    func start() {
        self.state.withLock {
            $0.started = .now
            $0.startUsage = .current()
        }
    }

    func answered(accepted: Int, rejected: Int) {
        self.state.withLock { state in
            state.answered += accepted + rejected
            state.rejected += rejected
            guard state.report == nil, state.answered >= self.goal else { return }
            guard let started = state.started, let startUsage = state.startUsage else { return }
            let seconds = (ContinuousClock.now - started) / .seconds(1)
            let usage = ProcessUsage.current()
            let cpu = (usage.cpuSeconds - startUsage.cpuSeconds) * 1e6 / Double(state.answered)
            state.report = SenderWorkerCommand.Report(
                perSecond: Double(state.answered) / seconds,
                cpuMicroseconds: cpu,
                peakResidentMiB: usage.peakResidentMiB,
                rejected: state.rejected
            )
        }
    }

    func connectionOpened(to host: String) {}
    func connectionFailed(to host: String) {}
    func connectionClosed(to host: String) {}
    func resent(_ count: Int) {}
}
