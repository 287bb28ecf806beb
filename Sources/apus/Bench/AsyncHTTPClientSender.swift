// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The same requests through AsyncHTTPClient, the engine of other Swift libraries for APNs, for comparison.
struct AsyncHTTPClientSender {
    let port: Int
    let certificate: String
    let tokens: [DeviceToken]

    /// Sends requests, so many at a time, and lets the stopwatch count the answers.
    func send(_ count: Int, concurrency: Int, stopwatch: Stopwatch) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(self.certificate))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = .automatic
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)),
            configuration: configuration
        )
        let numbers = Numbers()
        stopwatch.start()
        await withDiscardingTaskGroup { tasks in
            for _ in 0..<concurrency {
                tasks.addTask {
                    while true {
                        let index = numbers.next()
                        guard index < count else { return }
                        let isAccepted = (try? await self.exchange(index, with: client)) ?? false
                        stopwatch.answered(accepted: isAccepted ? 1 : 0, rejected: isAccepted ? 0 : 1)
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
