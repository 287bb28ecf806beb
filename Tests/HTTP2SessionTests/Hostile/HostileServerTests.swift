// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("A client session against hostile servers", .timeLimit(.minutes(20)))
struct HostileServerTests {
    @Test("the connection, or the stream, ends as RFC 9113 has it", arguments: Attack.onClients)
    func withstand(_ attack: Attack) throws {
        let exchange = try attack.isIntroduced ? RawExchange.client() : RawExchange(.client)
        let body = LentBody(count: 100_000)
        try exchange.session.request(body: body.bytes)
        try exchange.session.request()
        try exchange.run()
        attack.play(&exchange.peer)
        try exchange.run()
        try exchange.expect(attack)
    }

    @Test("DATA beyond the window ends the connection")
    func beyondWindow() throws {
        let exchange = try RawExchange.client()
        for stream: UInt32 in [1, 3] {
            try exchange.session.request()
            exchange.peer.send(.headers(stream, .response(), endStream: false))
            for _ in 0..<4 { exchange.peer.send(.data(stream, [UInt8](repeating: 0, count: 16_384))) }
        }
        try exchange.hear()
        try exchange.speak()
        try exchange.hear()
        #expect(exchange.peer.goAway?.errorCode == HTTP2ErrorCode.flowControlError.rawValue)
        #expect(exchange.session.isFinished)
    }

    @Test("a server that refuses every request is no flood: each RST_STREAM answers one")
    func refusals() throws {
        let exchange = try RawExchange.client(limits: HTTP2Limits(controlFrameBurst: 10))
        for number in 0..<500 as Range<UInt32> {
            try exchange.session.request()
            try exchange.run()
            exchange.peer.send(.reset(2 * number + 1, code: HTTP2ErrorCode.refusedStream.rawValue))
            try exchange.run()
        }
        #expect(exchange.recorder.closings.count == 500)
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.session.endedBy == nil)
    }
}
