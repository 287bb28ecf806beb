// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import AsyncHTTPClient
import CommandLineSupport
import Foundation
import NIOCore
import NIOHTTP1
import PushModel
import PushStore
import Synchronization

/// An app whose backend takes all that the server gives to it.
///
/// Its calls repeat a tenth of a second after the server has refused them.
struct HostileTenant: Sendable {
    /// The results of all calls.
    struct Counts: Sendable {
        var estimates = 0
        var refusedEstimates = 0
        var streams = 0
        var refusedStreams = 0
        var exports = 0
        var imports = 0
    }

    static let app = "com.example.hostile"
    static let estimates = 64
    static let streams = 256
    private static let pause: Duration = .milliseconds(100)
    private static let importedLines = 20_000

    let url: String
    let key: String
    private let counts = CountsBox()

    /// `Mutex` cannot be copied with the value.
    private final class CountsBox: Sendable {
        let value = Mutex(Counts())
    }

    init(url: String, key: String) {
        self.url = url
        self.key = key
    }

    var result: Counts { self.counts.value.withLock { $0 } }

    /// Registers devices with long tags.
    static func register(_ count: Int, in store: any PushStore) async throws {
        let app = try AppID(validating: self.app)
        let now = Date()
        try await store.createApp(App(id: app, name: "hostile", defaultEnvironment: .sandbox, createdAt: now))
        let tokens = BenchNotification.tokens(count)
        for start in stride(from: 0, to: count, by: 5000) {
            let registrations = try (start..<min(start + 5000, count)).map { number in
                DeviceRegistration(
                    app: app,
                    installation: try DeviceID(validating: "hostile-\(number)"),
                    token: try DeviceToken(hex: tokens[number]),
                    environment: .sandbox,
                    profile: DeviceProfile(tags: ["note": String(repeating: "\(number) ", count: 20)])
                )
            }
            try await store.register(registrations, now: now)
        }
    }

    /// Makes all calls until the task is cancelled.
    func run() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        let client = HTTPClient(configuration: configuration)
        await withDiscardingTaskGroup { group in
            for _ in 0..<Self.estimates {
                group.addTask { await self.repeatedly { try await self.estimate(with: client) } }
            }
            for _ in 0..<Self.streams {
                group.addTask { await self.repeatedly { try await self.stream(with: client) } }
            }
            group.addTask { await self.repeatedly { try await self.export(with: client) } }
            group.addTask { await self.repeatedly { try await self.importDevices(with: client) } }
        }
        try await client.shutdown()
    }

    private func repeatedly(_ call: () async throws -> Void) async {
        while !Task.isCancelled {
            do { try await call() } catch { try? await Task.sleep(for: Self.pause) }
        }
    }

    private func request(_ method: HTTPMethod, _ path: String, _ type: String = "application/json") -> HTTPClientRequest
    {
        var request = HTTPClientRequest(url: "\(self.url)/v1/apps/\(Self.app)/\(path)")
        request.method = method
        request.headers = ["authorization": "Bearer \(self.key)", "content-type": type]
        return request
    }

    private func estimate(with client: HTTPClient) async throws {
        let filters = (0..<199).map { #"{"tag":{"name":"note","contains":"x\#($0)"}}"# }.joined(separator: ",")
        var request = self.request(.POST, "campaigns:estimate")
        request.body = .bytes(ByteBuffer(string: #"{"audience":{"or":[\#(filters)]}}"#))
        let response = try await client.execute(request, timeout: .seconds(600))
        _ = try await response.body.collect(upTo: 1 << 20)
        let isCounted = response.status == .ok
        self.counts.value.withLock { if isCounted { $0.estimates += 1 } else { $0.refusedEstimates += 1 } }
        if !isCounted { try await Task.sleep(for: Self.pause) }
    }

    private func stream(with client: HTTPClient) async throws {
        var request = self.request(.POST, "notifications:stream", "application/x-ndjson")
        request.body = .stream(SlowLines(), length: .unknown)
        let response = try await client.execute(request, deadline: .distantFuture)
        let isOpen = response.status == .ok
        self.counts.value.withLock { if isOpen { $0.streams += 1 } else { $0.refusedStreams += 1 } }
        for try await _ in response.body {}
        if !isOpen { try await Task.sleep(for: Self.pause) }
    }

    private func export(with client: HTTPClient) async throws {
        let response = try await client.execute(self.request(.GET, "devices:export"), deadline: .distantFuture)
        for try await _ in response.body {}
        guard response.status == .ok else { return try await Task.sleep(for: Self.pause) }
        self.counts.value.withLock { $0.exports += 1 }
    }

    private func importDevices(with client: HTTPClient) async throws {
        let tokens = BenchNotification.tokens(Self.importedLines)
        let lines = tokens.enumerated().map { #"{"device":"hostile-\#($0.offset)","token":"\#($0.element)"}"# }
        var request = self.request(.POST, "devices:import", "application/x-ndjson")
        request.body = .bytes(ByteBuffer(string: lines.joined(separator: "\n") + "\n"))
        let response = try await client.execute(request, deadline: .distantFuture)
        for try await _ in response.body {}
        guard response.status == .ok else { return try await Task.sleep(for: Self.pause) }
        self.counts.value.withLock { $0.imports += 1 }
    }

    /// A line for an unknown token every 100 milliseconds.
    private struct SlowLines: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            mutating func next() async throws -> ByteBuffer? {
                try await Task.sleep(for: HostileTenant.pause)
                let token = String(repeating: "ab", count: 32)
                return ByteBuffer(string: #"{"token":"\#(token)","payload":\#(BenchNotification.payload)}"# + "\n")
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
}
