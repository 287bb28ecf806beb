// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore
import Testing

@Suite("A server session against hostile clients", .timeLimit(.minutes(20)))
struct HostileClientTests {
    @Test("the connection, or the stream, ends as RFC 9113 has it, and others live on", arguments: Attack.framing)
    func framing(_ attack: Attack) throws { try Self.withstand(attack) }

    @Test("broken, malformed and oversized header blocks harm nobody else", arguments: Attack.headers)
    func headers(_ attack: Attack) throws { try Self.withstand(attack) }

    @Test("a flood ends the connection that carries it", arguments: Attack.floods)
    func floods(_ attack: Attack) throws { try Self.withstand(attack) }

    private static func withstand(_ attack: Attack) throws {
        let bystander = try RawExchange.server()
        let exchange = try attack.isIntroduced ? RawExchange.server() : RawExchange(.server, SessionPair.answer)
        attack.play(&exchange.peer)
        try exchange.run()
        if case .goAway = attack.defence {} else { try Self.expectService(exchange) }
        try exchange.expect(attack)
        try Self.expectService(bystander)
    }

    /// Checks that the connection still serves a request.
    private static func expectService(_ exchange: RawExchange) throws {
        exchange.peer.send(.headers(1001, .request(), endStream: false), .data(1001, [1, 2], endStream: true))
        try exchange.run()
        let answer = exchange.peer.frames(on: 1001)
        #expect(answer.map(\.kind) == [.headers, .data])
        #expect(answer.last?.payload == [1, 2])
    }

    @Test("DATA beyond the stream's window resets the stream, beyond the connection's ends it")
    func beyondWindow() throws {
        let exchange = try RawExchange.server(settings: HTTP2Settings(initialWindowSize: 100)) { _, _ in }
        exchange.peer.send(.headers(1, .request(), endStream: false), .data(1, [UInt8](repeating: 0, count: 101)))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 1) == HTTP2ErrorCode.flowControlError.rawValue)
        #expect(exchange.peer.goAway == nil)

        let other = try RawExchange.server { _, _ in }
        for stream: UInt32 in [1, 3, 5] {
            other.peer.send(.headers(stream, .request(), endStream: false))
            for _ in 0..<3 { other.peer.send(.data(stream, [UInt8](repeating: 0, count: 16_384))) }
        }
        try other.speak()
        try other.hear()
        #expect(other.peer.goAway?.errorCode == HTTP2ErrorCode.flowControlError.rawValue)
    }

    @Test("a client that opens streams and never reads can make a server keep a bounded number of them")
    func neverReads() throws {
        let limits = HTTP2Limits(maximumOpenStreams: 500)
        let exchange = try RawExchange.server(limits: limits)
        for number in 0..<600 as Range<UInt32> { exchange.peer.send(.headers(2 * number + 1, .request())) }
        try exchange.speak()
        #expect(exchange.session.openStreams == 500)
        try exchange.hear()
        #expect(exchange.peer.goAway?.errorCode == HTTP2ErrorCode.enhanceYourCalm.rawValue)
        #expect(exchange.session.endedBy?.code == .flood)
    }

    @Test("a client that never acknowledges its limit and never reads its refusals loses the connection")
    func neverReadsRefusals() throws {
        let exchange = try RawExchange(.server, settings: HTTP2Settings(maximumConcurrentStreams: 1)) { _, _ in }
        exchange.peer.send(bytes: HTTP2Frame.clientPreface)
        exchange.peer.send(.settings())
        for number in 0..<5000 as Range<UInt32> { exchange.peer.send(.headers(2 * number + 1, .request())) }
        try exchange.speak()
        #expect(exchange.session.endedBy?.code == .flood)
        try exchange.hear()
        #expect(exchange.peer.goAway?.errorCode == HTTP2ErrorCode.enhanceYourCalm.rawValue)
        #expect(exchange.session.isFinished)
    }
}
