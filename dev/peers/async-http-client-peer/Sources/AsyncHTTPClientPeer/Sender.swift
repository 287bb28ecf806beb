// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// One HTTP client for all notifications, and a request for each of them.
///
/// This is the shape of Swift libraries for APNs that are built on AsyncHTTPClient: HTTP/2, a provider token that is
/// signed anew in time, a payload that `JSONEncoder` makes when it is sent, and one `execute` for each notification.
struct Sender {
    private let client: HTTPClient
    private let token: ProviderToken
    private let base: String
    private let topic: String
    private let encoder = JSONEncoder()

    init(job: Job) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(job.caPath))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = .automatic
        self.client = HTTPClient(configuration: configuration)
        self.token = try ProviderToken(job: job)
        self.base = "https://\(job.host):\(job.port)/3/device/"
        self.topic = job.topic
    }

    func close() async throws {
        try await self.client.shutdown()
    }

    /// Sends all of them, at most `concurrency` at a time.
    ///
    /// Returns what those that were not answered with 200 got instead.
    func send(_ notifications: [Notification], concurrency: Int) async -> [String] {
        let next = Position()
        return await withTaskGroup(of: [String].self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var refusals: [String] = []
                    while true {
                        let index = next.advance()
                        guard index < notifications.count else { return refusals }
                        do {
                            if let refusal = try await self.send(notifications[index]) { refusals.append(refusal) }
                        } catch {
                            refusals.append("\(error)")
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Sends one.
    ///
    /// Returns the answer unless it is 200.
    private func send(_ notification: Notification) async throws -> String? {
        var request = HTTPClientRequest(url: self.base + notification.token)
        request.method = .POST
        request.headers = [
            "authorization": try self.token.authorization(), "content-type": "application/json",
            "apns-topic": self.topic, "apns-push-type": "alert", "apns-priority": "10",
            "apns-id": UUID().uuidString.lowercased(),
        ]
        request.body = .bytes(ByteBuffer(bytes: try self.encoder.encode(Payload(notification))))
        let response = try await self.client.execute(request, timeout: .seconds(60))
        guard response.status != .ok else { return nil }
        let body = try await response.body.collect(upTo: 4096)
        return "\(response.status.code) \(String(buffer: body))"
    }
}

/// Counts from zero, for several tasks at once.
private final class Position: Sendable {
    private let value = Atomic(0)

    func advance() -> Int { self.value.add(1, ordering: .relaxed).oldValue }
}
