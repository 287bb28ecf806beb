// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL

/// A client's and a server's connection over real sockets with TLS, and what each delegate is told.
struct SocketPair {
    typealias Reaction = @Sendable (SessionRecorder, SessionEvent) -> Void

    let client: any Channel
    let listener: any Channel
    let clientEvents: AsyncStream<SessionEvent>
    let serverEvents: AsyncStream<SessionEvent>

    /// What differs from one test to the next.
    struct Setup: Sendable {
        var identity: TestIdentity
        var clientProtocols = ["h2"]
        var clientAcceptsMissingALPN = false
        var serverProtocols = ["h2"]
        var serverSettings = HTTP2Settings(maximumConcurrentStreams: 1000)
        var client: Reaction = { _, _ in }
        var server: Reaction = SessionPair.answer
        /// Put on every accepted socket, below TLS's clear side.
        var onAccept: @Sendable (any Channel) throws -> Void = { _ in }

        init() throws {
            self.identity = try TestIdentity()
        }
    }

    /// Runs `body` with a pair and closes what it opened.
    static func with(_ setup: Setup, _ body: (SocketPair) async throws -> Void) async throws {
        let (clientEvents, clientContinuation) = AsyncStream.makeStream(of: SessionEvent.self)
        let (serverEvents, serverContinuation) = AsyncStream.makeStream(of: SessionEvent.self)
        let group = MultiThreadedEventLoopGroup.singleton
        let server = setup.server
        let onAccept = setup.onAccept
        let listener = try await HTTP2Transport.listen(
            host: "127.0.0.1",
            port: 0,
            tls: try setup.identity.server(offering: setup.serverProtocols),
            group: group,
            configuration: HTTP2ConnectionConfiguration(
                role: .server,
                settings: setup.serverSettings,
                handshakeTimeout: .seconds(300)
            )
        ) { channel in
            try? onAccept(channel)
            return SessionRecorder(to: serverContinuation, server)
        }.get()
        let reaction = setup.client
        let client = try await HTTP2Transport.connect(
            host: "127.0.0.1",
            port: listener.localAddress?.port ?? 0,
            tls: try setup.identity.client(offering: setup.clientProtocols),
            serverName: "localhost",
            on: group.next(),
            configuration: HTTP2ConnectionConfiguration(
                role: .client,
                acceptsMissingALPN: setup.clientAcceptsMissingALPN,
                handshakeTimeout: .seconds(300)
            )
        ) { SessionRecorder(to: clientContinuation, reaction) }.get()
        let pair = SocketPair(
            client: client,
            listener: listener,
            clientEvents: clientEvents,
            serverEvents: serverEvents
        )
        do {
            try await body(pair)
        } catch {
            try? await client.close()
            try? await listener.close()
            throw error
        }
        try? await client.close()
        try await listener.close()
    }

    /// Does something with the client's connection on its event loop.
    func onClient<Result: Sendable>(
        _ body: @escaping @Sendable (HTTP2Connection) throws -> Result
    ) async throws -> Result {
        let channel = self.client
        return try await channel.eventLoop.submit {
            try body(channel.pipeline.syncOperations.handler(type: HTTP2Connection.self))
        }.get()
    }
}

extension AsyncStream<SessionEvent> {
    /// Waits for `count` events that fit, and answers everything told until then.
    func until(_ count: Int = 1, _ fits: (SessionEvent) -> Bool) async -> [SessionEvent] {
        var events: [SessionEvent] = []
        var left = count
        for await event in self {
            events.append(event)
            if fits(event) { left -= 1 }
            if left == 0 { break }
        }
        return events
    }

    /// Waits for the end of the connection.
    func untilClosed() async -> [SessionEvent] {
        await self.until { if case .connectionClosed = $0 { true } else { false } }
    }
}
