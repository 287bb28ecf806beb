// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("A server session and its peer's windows (RFC 9113 sections 5.2, 6.5.3 and 6.9)", .timeLimit(.minutes(20)))
struct WindowTests {
    private static func exchange(window: UInt32, asking body: [UInt8]) throws -> RawExchange {
        let exchange = try RawExchange(.server, SessionPair.answer)
        exchange.peer.sendHello([0x4: window])
        exchange.peer.send(.headers(1, .request(), endStream: false), .data(1, body, endStream: true))
        try exchange.run()
        return exchange
    }

    private static func bytes(_ exchange: RawExchange, on stream: UInt32 = 1) -> [UInt8] {
        exchange.peer.frames(on: stream).filter { $0.kind == .data }.flatMap(\.payload)
    }

    @Test("of a body only as much is sent as the stream's window takes; WINDOW_UPDATE brings the rest")
    func streamWindow() throws {
        let exchange = try Self.exchange(window: 1, asking: [1, 2, 3])
        #expect(exchange.peer.frames(on: 1).first?.kind == .headers)
        #expect(Self.bytes(exchange) == [1])
        exchange.peer.send(.windowUpdate(1, by: 1))
        try exchange.run()
        #expect(Self.bytes(exchange) == [1, 2])
        exchange.peer.send(.windowUpdate(1, by: 100))
        try exchange.run()
        #expect(Self.bytes(exchange) == [1, 2, 3])
        #expect(exchange.peer.frames(on: 1).last?.endsStream == true)
    }

    @Test("a window of nothing holds the body back, not the head")
    func emptyWindow() throws {
        let exchange = try Self.exchange(window: 0, asking: [1, 2])
        #expect(exchange.peer.frames(on: 1).map(\.kind) == [.headers])
        exchange.peer.send(.settings([0x4: 65_535]))
        try exchange.run()
        #expect(Self.bytes(exchange) == [1, 2])
    }

    @Test("a window that SETTINGS make negative has to be filled first")
    func negativeWindow() throws {
        let exchange = try Self.exchange(window: 3, asking: [1, 2, 3, 4, 5])
        #expect(Self.bytes(exchange) == [1, 2, 3])
        exchange.peer.send(.settings([0x4: 1]), .windowUpdate(1, by: 2))
        try exchange.run()
        #expect(Self.bytes(exchange) == [1, 2, 3])
        exchange.peer.send(.windowUpdate(1, by: 1))
        try exchange.run()
        #expect(Self.bytes(exchange) == [1, 2, 3, 4])
    }

    @Test("the last value of a setting that a frame repeats applies")
    func lastValue() throws {
        let exchange = try RawExchange(.server, SessionPair.answer)
        exchange.peer.sendHello([0x4: 100, 0x4: 2])
        exchange.peer.send(.headers(1, .request(), endStream: false), .data(1, [1, 2, 3], endStream: true))
        try exchange.run()
        #expect(Self.bytes(exchange) == [1, 2])
    }

    @Test("every SETTINGS frame is acknowledged, once each")
    func acknowledgements() throws {
        let exchange = try RawExchange.server()
        let before = exchange.peer.frames(.settings).count { $0.flags == .acknowledgement }
        exchange.peer.send(.settings(), .settings([0x4: 70_000]), .settings([0xff: 1]))
        try exchange.run()
        let acknowledgements = exchange.peer.frames(.settings).filter { $0.flags == .acknowledgement }
        #expect(acknowledgements.count == before + 3)
        #expect(acknowledgements.allSatisfy { $0.payload.isEmpty })
    }

    @Test("the connection's window bounds all streams together")
    func connectionWindow() throws {
        let exchange = try RawExchange(.server, SessionPair.answer)
        exchange.peer.sendHello([0x4: 1 << 20])
        let body = [UInt8](repeating: 7, count: 16_384)
        for stream: UInt32 in [1, 3, 5, 7, 9] {
            exchange.peer.send(.headers(stream, .request(), endStream: false), .data(stream, body, endStream: true))
            try exchange.run()
        }
        let sent = [1, 3, 5, 7, 9].reduce(0) { $0 + Self.bytes(exchange, on: $1).count }
        #expect(sent == 65_535)
        exchange.peer.send(.windowUpdate(0, by: 100_000))
        try exchange.run()
        #expect([1, 3, 5, 7, 9].reduce(0) { $0 + Self.bytes(exchange, on: $1).count } == 5 * 16_384)
    }

    @Test("no frame is larger than the peer's limit")
    func largestFrame() throws {
        let exchange = try RawExchange(.server, SessionPair.answer)
        exchange.peer.sendHello([0x4: 1 << 20, 0x5: 20_000])
        let half = [UInt8](repeating: 7, count: 16_000)
        exchange.peer.send(.headers(1, .request(), endStream: false), .data(1, half), .data(1, half, endStream: true))
        try exchange.run()
        #expect(Self.bytes(exchange).count == 32_000)
        #expect(exchange.peer.received.allSatisfy { $0.payload.count <= 20_000 })
    }
}
