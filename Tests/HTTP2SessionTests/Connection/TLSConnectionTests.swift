// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@Suite("Connections over sockets with TLS", .timeLimit(.minutes(20)))
struct TLSConnectionTests {
    @Test("two sides that agree on h2 exchange a request and its response")
    func exchange() async throws {
        var setup = try SocketPair.Setup()
        setup.client = { recorder, event in
            if event == .opened { _ = try? recorder.session?.request() }
        }
        try await SocketPair.with(setup) { pair in
            let events = await pair.clientEvents.until { $0.closedStream != nil }
            #expect(events.first == .opened)
            #expect(events.contains(.field(1, ":status", "200")))
            #expect(events.last == .closed(1, .noError))
        }
    }

    @Test("a client refuses a server that does not agree on h2", arguments: [[], ["http/1.1"]])
    func serverWithoutH2(protocols: [String]) async throws {
        var setup = try SocketPair.Setup()
        setup.serverProtocols = protocols
        try await SocketPair.with(setup) { pair in
            #expect(await pair.clientEvents.untilClosed() == [.connectionClosed(.notHTTP2)])
        }
    }

    @Test("a server serves a client that sends no ALPN")
    func clientWithoutALPN() async throws {
        var setup = try SocketPair.Setup()
        setup.clientProtocols = []
        setup.clientAcceptsMissingALPN = true
        setup.client = { recorder, event in
            if event == .opened { _ = try? recorder.session?.request() }
        }
        try await SocketPair.with(setup) { pair in
            #expect(await pair.clientEvents.until { $0.closedStream != nil }.last == .closed(1, .noError))
        }
    }

    @Test("a server that closes in the middle of a stream is told to the client once, and not as an error")
    func dropped() async throws {
        var setup = try SocketPair.Setup()
        setup.client = { recorder, event in
            if event == .opened { _ = try? recorder.session?.request() }
        }
        setup.server = { recorder, event in
            if event.completedStream != nil { recorder.connection?.close() }
        }
        try await SocketPair.with(setup) { pair in
            let events = await pair.clientEvents.untilClosed()
            #expect(events.filter { if case .connectionClosed = $0 { true } else { false } }.count == 1)
            #expect(events.last == .connectionClosed(nil))
            #expect(await pair.serverEvents.untilClosed().last == .connectionClosed(nil))
            try await pair.client.closeFuture.get()
        }
    }

    @Test("a certificate that the client does not trust ends the connection with the cause")
    func untrusted() async throws {
        let identity = try TestIdentity()
        let (events, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        try await SocketPair.with(try SocketPair.Setup()) { pair in
            let channel = try await HTTP2Transport.connect(
                host: "127.0.0.1",
                port: pair.listener.localAddress?.port ?? 0,
                tls: try identity.client(),
                serverName: "localhost",
                on: pair.client.eventLoop,
                configuration: HTTP2ConnectionConfiguration(role: .client, handshakeTimeout: .seconds(300))
            ) { SessionRecorder(to: continuation) }.get()
            #expect(await events.untilClosed() == [.connectionClosed(.connectionLost)])
            try? await channel.close()
        }
    }

    @Test("a peer that never answers the handshake loses the connection after the timeout", arguments: [true, false])
    func handshakeTimeout(isClient: Bool) async throws {
        let identity = try TestIdentity()
        let (events, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        let group = MultiThreadedEventLoopGroup.singleton
        var configuration = HTTP2ConnectionConfiguration(role: isClient ? .client : .server)
        configuration.handshakeTimeout = .milliseconds(50)
        let listener: any Channel
        let client: any Channel
        if isClient {
            listener = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
            client = try await HTTP2Transport.connect(
                host: "127.0.0.1",
                port: listener.localAddress?.port ?? 0,
                tls: try identity.client(),
                serverName: "localhost",
                on: group.next(),
                configuration: configuration
            ) { SessionRecorder(to: continuation) }.get()
        } else {
            listener = try await HTTP2Transport.listen(
                host: "127.0.0.1",
                port: 0,
                tls: try identity.server(),
                group: group,
                configuration: configuration
            ) { _ in SessionRecorder(to: continuation) }.get()
            client = try await ClientBootstrap(group: group)
                .connect(host: "127.0.0.1", port: listener.localAddress?.port ?? 0).get()
        }
        #expect(await events.untilClosed() == [.connectionClosed(.connectionLost)])
        try? await client.close()
        try await listener.close()
    }
}
