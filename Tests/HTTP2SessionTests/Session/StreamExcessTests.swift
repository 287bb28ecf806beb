// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("Streams beyond what a server granted")
struct StreamExcessTests {
    private static let violated = "Maximum active streams violated for this endpoint"

    /// A server that granted so many streams, which the client has acknowledged.
    private static func server(granting streams: UInt32, _ excess: HTTP2StreamLimitPolicy) throws -> RawExchange {
        let exchange = try RawExchange(
            .server,
            settings: HTTP2Settings(maximumConcurrentStreams: streams),
            limits: HTTP2Limits(streamExcess: excess)
        )
        try exchange.hear()
        exchange.peer.sendHello()
        try exchange.run()
        return exchange
    }

    @Test(
        "the limit is announced as it is meant",
        arguments: [.refuse, .serve, .protocolError] as [HTTP2StreamLimitPolicy]
    )
    func announced(excess: HTTP2StreamLimitPolicy) throws {
        let exchange = try Self.server(granting: 7, excess)
        #expect(exchange.peer.frames(.settings).first?.settings?[0x3] == 7)
        exchange.session.submitSettings(maximumConcurrentStreams: 3, initialWindowSize: 20)
        try exchange.hear()
        #expect(exchange.peer.frames(.settings).last?.settings == [0x3: 3, 0x4: 20])
        exchange.session.submitSettings(maximumConcurrentStreams: nil, initialWindowSize: 30)
        try exchange.hear()
        #expect(exchange.peer.frames(.settings).last?.settings == [0x4: 30])
    }

    @Test("a stream too many is refused, and its place can be taken when another ends")
    func refuse() throws {
        let exchange = try Self.server(granting: 2, .refuse)
        exchange.peer.send(.headers(1, .request()), .headers(3, .request()), .headers(5, .request()))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 5) == HTTP2ErrorCode.refusedStream.rawValue)
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.session.openStreams == 2)
        exchange.peer.send(.reset(1), .headers(7, .request()))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 7) == nil)
        #expect(exchange.session.openStreams == 2)
    }

    @Test("a stream too many ends the connection with code and text, where it is to")
    func goAway() throws {
        let exchange = try Self.server(granting: 1, .goAway(.refusedStream, Self.violated))
        exchange.peer.send(.headers(1, .request()), .headers(3, .request()))
        try exchange.run()
        let first = exchange.peer.frames(.goAway).first
        #expect(first?.errorCode == 7)
        #expect(first?.debugText == Self.violated)
        #expect(exchange.session.endedBy?.code == .flood)
        #expect(exchange.session.isFinished)
    }

    @Test("a stream too many is served where limits are only announced")
    func serve() throws {
        let exchange = try Self.server(granting: 1, .serve)
        exchange.peer.send(.headers(1, .request()), .headers(3, .request()), .headers(5, .request()))
        try exchange.run()
        #expect(exchange.session.openStreams == 3)
        #expect(exchange.peer.goAway == nil)
    }

    @Test("a smaller limit refuses from its announcement on, and is enforced once it is acknowledged")
    func shrink() throws {
        let exchange = try Self.server(granting: 3, .goAway(.refusedStream, Self.violated))
        exchange.peer.send(.headers(1, .request()))
        try exchange.run()
        exchange.session.submitSettings(maximumConcurrentStreams: 1)
        try exchange.hear()
        exchange.peer.send(.headers(3, .request()))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 3) == HTTP2ErrorCode.refusedStream.rawValue)
        #expect(exchange.peer.goAway == nil)
        exchange.peer.send(.settingsAcknowledgement, .headers(5, .request()))
        try exchange.run()
        #expect(exchange.peer.goAway?.errorCode == 7)
    }

    @Test("a peer that goes on beyond the limit for long is a flood")
    func flood() throws {
        let exchange = try Self.server(granting: 1, .refuse)
        exchange.peer.send(.headers(1, .request()))
        for id in 0..<3000 { exchange.peer.send(.headers(UInt32(3 + 2 * id), .request())) }
        try exchange.run()
        #expect(exchange.session.endedBy?.code == .flood)
    }
}
