// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL

/// A provider's connection for tests: says what it is told to say, right or wrong, and hears what comes back.
struct ProviderTestClient: Sendable {
    private let channel: any Channel
    private let delegate: NIOLoopBound<ProviderTestDelegate>
    /// The limit of concurrent streams after each SETTINGS of the server.
    let streamLimits: AsyncStream<UInt32>
    private let goAway: EventLoopFuture<TestGoAway>

    /// Connects; TLS is up when it returns.
    ///
    /// - Throws: ``TestFailure`` `closed` when the handshake fails.
    init(
        _ simulator: APNsSimulator,
        port: Int? = nil,
        applicationProtocols: [String] = ["h2"],
        certificate: IssuedCertificate? = nil,
        acceptsMissingALPN: Bool = true
    ) async throws {
        var tls = try TLSConfiguration.client(of: simulator, certificate: certificate)
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = applicationProtocols
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let opened = eventLoop.makePromise(of: Void.self)
        let goAway = eventLoop.makePromise(of: TestGoAway.self)
        let (streamLimits, continuation) = AsyncStream.makeStream(of: UInt32.self)
        let delegate = try await eventLoop.submit {
            let delegate = ProviderTestDelegate(opened: opened, goAway: goAway, streamLimits: continuation)
            return NIOLoopBound(delegate, eventLoop: eventLoop)
        }.get()
        self.channel = try await HTTP2Transport.connect(
            host: "127.0.0.1",
            port: port ?? simulator.port,
            tls: NIOSSLContext(configuration: tls),
            serverName: "localhost",
            on: eventLoop,
            configuration: HTTP2ConnectionConfiguration(
                role: .client,
                acceptsMissingALPN: acceptsMissingALPN,
                handshakeTimeout: .seconds(300)
            ),
            delegate: { delegate.value }
        ).get()
        self.delegate = delegate
        self.streamLimits = streamLimits
        self.goAway = goAway.futureResult
        try await opened.futureResult.get()
    }

    /// Sends a request and waits for what comes of it.
    func send(_ fields: [(StaticString, String)], body: [UInt8] = []) async throws -> TestResponse {
        try await self.start(fields, body: body).get()
    }

    /// Sends several requests in one write.
    func sendAll(
        _ requests: [[(StaticString, String)]],
        body: [UInt8]
    ) async throws -> [Result<TestResponse, any Error>] {
        try await self.sendAll(requests.map { ($0, body) })
    }

    /// Sends several requests with their bodies in one write.
    func sendAll(
        _ requests: [(fields: [(StaticString, String)], body: [UInt8])]
    ) async throws -> [Result<TestResponse, any Error>] {
        let futures = try await self.channel.eventLoop.submit {
            let futures = requests.map { self.delegate.value.submit($0.fields, body: $0.body) }
            self.delegate.value.connection?.flush()
            return futures
        }.get()
        var results: [Result<TestResponse, any Error>] = []
        for future in futures {
            do { results.append(.success(try await future.get())) } catch { results.append(.failure(error)) }
        }
        return results
    }

    /// Sends a request; the future is settled when its stream is closed.
    func start(_ fields: [(StaticString, String)], body: [UInt8] = []) -> EventLoopFuture<TestResponse> {
        self.channel.eventLoop.flatSubmit {
            let future = self.delegate.value.submit(fields, body: body)
            self.delegate.value.connection?.flush()
            return future
        }
    }

    /// Waits until the server has read everything that the client had to say to what it heard so far.
    ///
    /// A connection that is closed with something unread is reset, and a reset takes with it what the client has not read.
    func exchangeGreetings() async throws {
        // With the answer to the first, the client has read the server's SETTINGS; with the second, the server its own answer.
        for _ in 0..<2 {
            try await self.channel.eventLoop.flatSubmit { self.delegate.value.ping() }.get()
        }
    }

    /// Waits for the server's GOAWAY.
    func receivedGoAway() async throws -> TestGoAway { try await self.goAway.get() }

    /// How often the server has said GOAWAY.
    var goAways: Int {
        get async throws { try await self.channel.eventLoop.submit { self.delegate.value.goAways }.get() }
    }

    /// Leaves what comes in the socket, as clients do that look at idle connections no more.
    func stopReading() async throws { try await self.channel.setOption(.autoRead, value: false).get() }

    /// Waits until the connection is gone.
    func waitForClose() async throws { try await self.channel.closeFuture.get() }

    func close() async { try? await self.channel.close() }
}
