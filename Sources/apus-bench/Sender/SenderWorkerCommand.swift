// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import ArgumentParser
import AsyncHTTPClient
import CommandLineSupport
import Crypto
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// The sender of `apus-bench sender` in a separate process, so that its CPU and memory can be measured alone.
struct SenderWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sender-worker", shouldDisplay: false)

    /// nghttpd leaves the last requests of a burst unanswered when a client then falls silent, so the clock stops
    /// before.
    private static let countedPart = 0.98
    private static let batchSize = 10_000

    @Option var port: Int
    @Option var certificate: String
    @Option var tokens: String
    @Option var engine = SenderEngine.apus
    @OptionGroup var size: BenchArguments

    func run() async throws {
        let tokens = try String(contentsOfFile: self.tokens, encoding: .utf8).split(separator: "\n").map {
            try DeviceToken(hex: $0)
        }
        let stopwatch = Stopwatch(goal: Int(Double(self.size.requests) * Self.countedPart))
        switch self.engine {
        case .apus: try await self.sendWithClient(tokens, stopwatch: stopwatch)
        case .asyncHTTPClient:
            let exchange = AsyncHTTPClientSender(port: self.port, certificate: self.certificate, tokens: tokens)
            try await exchange.send(self.size.requests, concurrency: self.size.streams, stopwatch: stopwatch)
        }
        guard let report = stopwatch.report else {
            throw CommandError("incomplete", "Too few requests had a response within the deadline.")
        }
        try Console.json(report)
    }

    private func sendWithClient(_ tokens: [DeviceToken], stopwatch: Stopwatch) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = APNsClientConfiguration()
        configuration.maximumConnections = self.size.connections
        configuration.maximumStreams = self.size.streams
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
            payload: .shared(try APNsPayload(json: BenchNotification.payload)),
            tokens: TokenList((0..<Self.batchSize).map { tokens[$0 % tokens.count] }),
            firstID: APNsID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0000)
        )
        stopwatch.start()
        await withDiscardingTaskGroup { tasks in
            for _ in 0..<(self.size.requests / Self.batchSize) {
                tasks.addTask { _ = await client.send(batch, to: destination, deadline: .seconds(20)) }
            }
        }
    }

    private func destination() throws -> APNsDestination {
        let authority = Array(try Data(contentsOf: URL(fileURLWithPath: self.certificate)))
        let endpoint = APNsEndpoint(
            host: "localhost",
            port: self.port,
            trust: .certificateAuthority(pem: authority)
        )
        return APNsDestination(endpoint: endpoint, credential: .key(try .bench()))
    }
}

extension ProviderKey {
    /// A new key, which nghttpd does not check.
    static func bench() throws -> ProviderKey {
        try ProviderKey(
            keyID: "BENCHKEY01",
            teamID: "BENCHTEAM1",
            pem: P256.Signing.PrivateKey().pemRepresentation
        )
    }
}

/// The same requests through AsyncHTTPClient, the engine of other Swift libraries for APNs, for comparison.
struct AsyncHTTPClientSender {
    let port: Int
    let certificate: String
    let tokens: [DeviceToken]

    /// Sends requests with limited concurrency; the stopwatch counts the responses.
    func send(_ count: Int, concurrency: Int, stopwatch: Stopwatch) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(self.certificate))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = .automatic
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)),
            configuration: configuration
        )
        let numbers = AtomicCounter()
        stopwatch.start()
        await withDiscardingTaskGroup { tasks in
            for _ in 0..<concurrency {
                tasks.addTask {
                    while true {
                        let index = numbers.next()
                        guard index < count else { return }
                        let isAccepted = (try? await self.exchange(index, with: client)) ?? false
                        stopwatch.responsesReceived(accepted: isAccepted ? 1 : 0, rejected: isAccepted ? 0 : 1)
                    }
                }
            }
        }
        try await client.shutdown()
    }

    private func exchange(_ index: Int, with client: HTTPClient) async throws -> Bool {
        let path = APNsPath.device(self.tokens[index % self.tokens.count])
        var request = HTTPClientRequest(url: "https://localhost:\(self.port)\(path)")
        request.method = .POST
        request.headers = [
            "authorization": "bearer \(String(repeating: "t", count: 180))", "apns-topic": BenchNotification.topic,
            "apns-push-type": "alert", "apns-priority": "10", "apns-id": "01920000-0000-7000-8000-000000000000",
        ]
        request.body = .bytes(ByteBuffer(string: BenchNotification.payload))
        return try await client.execute(request, timeout: .seconds(20)).status == .ok
    }
}

/// Counts responses, and reads clock and usage at the first one and at the one that reaches the goal.
final class Stopwatch: APNsClientMetrics {
    private struct State {
        var answered = 0
        var rejected = 0
        var started: ContinuousClock.Instant?
        var startUsage: ProcessUsage?
        var report: SenderReport?
    }

    private let goal: Int
    private let state = Mutex(State())

    init(goal: Int) {
        self.goal = goal
    }

    var report: SenderReport? { self.state.withLock(\.report) }

    func start() {
        self.state.withLock {
            $0.started = .now
            $0.startUsage = .current()
        }
    }

    func responsesReceived(accepted: Int, rejected: Int) {
        self.state.withLock { state in
            state.answered += accepted + rejected
            state.rejected += rejected
            guard state.report == nil, state.answered >= self.goal else { return }
            guard let started = state.started, let startUsage = state.startUsage else { return }
            let seconds = (ContinuousClock.now - started) / .seconds(1)
            let usage = ProcessUsage.current()
            let cpu = (usage.cpuSeconds - startUsage.cpuSeconds) * 1e6 / Double(state.answered)
            state.report = SenderReport(
                perSecond: Double(state.answered) / seconds,
                cpuMicroseconds: cpu,
                peakResidentMiB: usage.peakResidentMiB,
                rejected: state.rejected
            )
        }
    }

    func connectionOpened(to host: String) {}
    func connectionFailed(to host: String) {}
    func connectionClosed(to host: String, by end: ConnectionCloseReason) {}
    func retried(_ count: Int) {}
}

/// Counts from zero, for several tasks at once.
final class AtomicCounter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { self.count.add(1, ordering: .relaxed).oldValue }
}
