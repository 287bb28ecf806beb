// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore
import Testing

@Suite("The allowance of control frames")
struct AllowanceTests {
    private static let limits = HTTP2Limits(controlFrameBurst: 10, controlFramesPerSecond: 5)

    @Test("the burst is taken, one frame more is not")
    func burst() throws {
        let exchange = try RawExchange.server(limits: Self.limits)
        // The peer's own SETTINGS were the first frame.
        for _ in 0..<9 { exchange.peer.send(.ping()) }
        try exchange.run()
        #expect(exchange.peer.goAway == nil)
        exchange.peer.send(.ping())
        try exchange.run()
        #expect(exchange.peer.goAway?.errorCode == HTTP2ErrorCode.enhanceYourCalm.rawValue)
        #expect(exchange.session.endedBy?.code == .flood)
        #expect(exchange.session.endedBy?.message.contains("10 at once, 5 a second") == true)
    }

    @Test("the allowance comes back with time, and no further than the burst")
    func refill() throws {
        let exchange = try RawExchange.server(limits: Self.limits)
        for _ in 0..<20 {
            exchange.now = exchange.now + .seconds(1)
            for _ in 0..<5 { exchange.peer.send(.ping()) }
            try exchange.run()
        }
        #expect(exchange.peer.goAway == nil)
        exchange.now = exchange.now + .hours(1)
        for _ in 0..<11 { exchange.peer.send(.ping()) }
        try exchange.run()
        #expect(exchange.peer.goAway?.errorCode == HTTP2ErrorCode.enhanceYourCalm.rawValue)
    }

    @Test("requests that are finished give the allowance back: a busy client may cancel now and then")
    func busyClient() throws {
        let exchange = try RawExchange.server(limits: Self.limits)
        var stream: UInt32 = 1
        for _ in 0..<500 {
            exchange.peer.send(.headers(stream, .request()), .headers(stream + 2, .request(), endStream: false))
            try exchange.run()
            exchange.peer.send(.reset(stream + 2))
            try exchange.run()
            stream += 4
        }
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.recorder.closings.count == 1000)
    }

    @Test("streams that the owner itself resets do not count against the peer")
    func ownResets() throws {
        let exchange = try RawExchange.server(limits: Self.limits) { recorder, event in
            guard let id = event.completedStream, let stream = recorder.streams[id] else { return }
            recorder.session?.reset(stream, code: .internalError)
        }
        for number in 0..<100 as Range<UInt32> { exchange.peer.send(.headers(2 * number + 1, .request())) }
        try exchange.run()
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.peer.frames(.resetStream).count == 100)
    }
}
