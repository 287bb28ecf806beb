// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("Settings of a session")
struct SettingsTests {
    private static let maximumConcurrentStreams: UInt16 = 0x3

    @Test("a session announces what it was configured with")
    func announced() throws {
        let settings = HTTP2Settings(
            headerTableSize: 0,
            maximumConcurrentStreams: 7,
            initialWindowSize: 100_000,
            maximumFrameSize: 32_768,
            maximumHeaderListSize: 9000
        )
        let expected: [UInt16: UInt32] = [0x1: 0, 0x3: 7, 0x4: 100_000, 0x5: 32_768, 0x6: 9000]
        #expect(try RawExchange(.server, settings: settings).announcement == expected)
        #expect(try RawExchange(.client, settings: settings).announcement == expected.merging([0x2: 0]) { $1 })
    }

    @Test("a client opens one stream until the server's settings have come, and as many as they allow then")
    func beforeSettings() throws {
        let exchange = try RawExchange(.client)
        for _ in 0..<5 { try exchange.session.request() }
        try exchange.run()
        #expect(exchange.peer.frames(.headers).map(\.streamID) == [1])
        exchange.peer.sendHello([Self.maximumConcurrentStreams: 3])
        try exchange.run()
        #expect(exchange.peer.frames(.headers).map(\.streamID) == [1, 3, 5])
        exchange.peer.send(.settings([Self.maximumConcurrentStreams: 1000]))
        try exchange.run()
        #expect(exchange.peer.frames(.headers).map(\.streamID) == [1, 3, 5, 7, 9])
    }

    @Test("a server's limit is followed up and down: 1, then 1,000, then 2")
    func upAndDown() throws {
        let held = HeldStreams()
        let pair = try SessionPair.introduced(
            serverSettings: HTTP2Settings(maximumConcurrentStreams: 1),
            server: { recorder, event in
                guard let id = event.completedStream, let stream = recorder.streams[id] else { return }
                held.streams.append(stream)
            }
        )
        #expect(pair.clientSession.remoteMaximumConcurrentStreams == 1)
        for _ in 0..<20 { try pair.clientSession.request() }
        try pair.exchange()
        #expect(held.streams.count == 1)

        pair.serverSession.submitSettings(maximumConcurrentStreams: 1000)
        try pair.exchange()
        #expect(pair.clientSession.remoteMaximumConcurrentStreams == 1000)
        #expect(pair.client.events.filter { $0 == .settings }.count == 2)
        #expect(held.streams.count == 20)

        pair.serverSession.submitSettings(maximumConcurrentStreams: 2)
        try pair.exchange()
        for _ in 0..<5 { try pair.clientSession.request() }
        for stream in held.streams.prefix(18) { try pair.serverSession.respond(to: stream) }
        try pair.exchange()
        #expect(held.streams.count == 20, "two of the twenty are still open")
        try pair.serverSession.respond(to: held.streams[18])
        try pair.exchange()
        #expect(held.streams.count == 21)
        #expect(pair.brokenPromises.isEmpty)
    }

    @Test("a server that announces no limit is told as 2^32-1")
    func noLimit() throws {
        let pair = try SessionPair.introduced()
        #expect(pair.clientSession.remoteMaximumConcurrentStreams == .max)
    }

    @Test("streams beyond a limit that the client may not know yet are refused, and may be sent again")
    func refused() throws {
        let exchange = try RawExchange(.server, settings: HTTP2Settings(maximumConcurrentStreams: 1)) { _, _ in }
        exchange.peer.send(bytes: HTTP2Frame.clientPreface)
        exchange.peer.send(.settings(), .headers(1, .request()), .headers(3, .request()), .headers(5, .request()))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 1) == nil)
        #expect(exchange.peer.resetCode(of: 3) == HTTP2ErrorCode.refusedStream.rawValue)
        #expect(exchange.peer.resetCode(of: 5) == HTTP2ErrorCode.refusedStream.rawValue)
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.session.openStreams == 1)
        #expect(exchange.recorder.streams.keys.sorted() == [1])
    }

    @Test("a client that goes beyond a limit it has acknowledged loses the connection")
    func exceeded() throws {
        let exchange = try RawExchange.server(settings: HTTP2Settings(maximumConcurrentStreams: 1)) { _, _ in }
        exchange.peer.send(.headers(1, .request()), .headers(3, .request()))
        try exchange.run()
        #expect(exchange.peer.goAway?.errorCode == HTTP2ErrorCode.protocolError.rawValue)
        #expect(exchange.session.endedBy?.code == .protocolViolation)
    }

    @Test("a client's stream that was refused closes as refused")
    func clientRefused() throws {
        let exchange = try RawExchange.client()
        try exchange.session.request()
        try exchange.run()
        exchange.peer.send(.reset(1, code: HTTP2ErrorCode.refusedStream.rawValue))
        try exchange.run()
        #expect(exchange.recorder.closings == [.closed(1, .refusedStream)])
    }

    @Test("a change of the initial window reaches the streams that are open")
    func initialWindow() throws {
        let exchange = try RawExchange.client(settings: [0x3: 100, 0x4: 10])
        let body = LentBody(count: 100)
        try exchange.session.request(body: body.bytes)
        try exchange.run()
        #expect(exchange.peer.frames(.data).flatMap(\.payload).count == 10)
        exchange.peer.send(.settings([0x4: 60]))
        try exchange.run()
        #expect(exchange.peer.frames(.data).flatMap(\.payload).count == 60)
        exchange.peer.send(.windowUpdate(1, by: 40))
        try exchange.run()
        #expect(exchange.peer.frames(.data).flatMap(\.payload) == body.copy)
    }
}

/// Streams that a server keeps to answer later.
private final class HeldStreams {
    var streams: [HTTP2Stream] = []
}

extension RawExchange {
    /// The settings with which the session begins.
    fileprivate var announcement: [UInt16: UInt32] {
        get throws {
            try self.hear()
            return self.peer.settings
        }
    }
}
