// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import ArgumentParser
import Crypto
import Foundation
import Logging
import NIOPosix

/// The sender of `bench sender` in a process of its own, so that its CPU and memory are nobody else's.
struct SenderWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sender-worker", shouldDisplay: false)

    /// nghttpd leaves the last requests of a burst unanswered when a client then falls silent, so the clock stops before.
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
            throw CommandFailure("incomplete", "Not enough requests were answered within the deadline.")
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
