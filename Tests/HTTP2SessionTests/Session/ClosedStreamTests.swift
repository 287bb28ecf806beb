// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("Frames on closed streams")
struct ClosedStreamTests {
    /// Resets every stream as soon as its HEADERS have come.
    private static func resetAll(_ recorder: SessionRecorder, _ event: SessionEvent) {
        guard case .headersEnded(let id, _) = event, let stream = recorder.streams[id] else { return }
        recorder.session?.reset(stream, code: .internalError)
    }

    private static func code(_ exchange: RawExchange) -> HTTP2ErrorCode? {
        exchange.peer.goAway?.errorCode.map(HTTP2ErrorCode.init(rawValue:))
    }

    @Test("what comes on a stream that the server has reset was under way, and is ignored")
    func underWay() throws {
        let exchange = try RawExchange.server(Self.resetAll)
        exchange.peer.send(.headers(1, .request(), endStream: false))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 1) == HTTP2ErrorCode.internalError.rawValue)
        exchange.peer.send(.data(1, [1, 2]), .headers(1, HPACKBlock(["x-sum": "1"])), .reset(1))
        exchange.peer.send(.ping())
        try exchange.run()
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.peer.frames(.ping).count == 1)
        #expect(exchange.recorder.brokenPromises.isEmpty)
    }

    @Test("HEADERS on a stream that the server has reset count towards the allowance of control frames")
    func counted() throws {
        let limits = HTTP2Limits(controlFrameBurst: 10, controlFramesPerSecond: 5)
        let exchange = try RawExchange.server(limits: limits, Self.resetAll)
        exchange.peer.send(.headers(1, .request(), endStream: false))
        try exchange.run()
        for _ in 0..<11 { exchange.peer.send(.headers(1, HPACKBlock(["x-sum": "1"]))) }
        try exchange.run()
        #expect(Self.code(exchange) == .enhanceYourCalm)
        #expect(exchange.session.endedBy?.message.contains("HEADERS on a closed stream") == true)
    }

    @Test("a busy client whose requests the server resets may have the end of each under way")
    func busyClient() throws {
        let limits = HTTP2Limits(controlFrameBurst: 10, controlFramesPerSecond: 5)
        let exchange = try RawExchange.server(limits: limits, Self.resetAll)
        for number in 0..<200 as Range<UInt32> {
            let stream = 2 * number + 1
            exchange.peer.send(.headers(stream, .request(), endStream: false))
            try exchange.run()
            exchange.peer.send(.data(stream, endStream: true))
            try exchange.run()
        }
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.peer.frames(.resetStream).count == 200)
    }

    @Test("of very many streams that the server has reset none is taken for one that the client has ended")
    func manyResets() throws {
        let exchange = try RawExchange.server(Self.resetAll)
        for number in 0..<3000 as Range<UInt32> {
            exchange.peer.send(.headers(2 * number + 1, .request(), endStream: false))
        }
        try exchange.run()
        for stream: UInt32 in [1, 1001, 5999] { exchange.peer.send(.data(stream, [1], endStream: true)) }
        try exchange.run()
        #expect(exchange.peer.goAway == nil)
    }

    @Test("a stream beyond the limit that was refused may have its body under way")
    func refused() throws {
        let limits = HTTP2Limits(streamExcess: .refuse)
        let settings = HTTP2Settings(maximumConcurrentStreams: 1)
        let exchange = try RawExchange.server(settings: settings, limits: limits) { _, _ in }
        exchange.peer.send(.headers(1, .request(), endStream: false), .headers(3, .request(), endStream: false))
        exchange.peer.send(.data(3, [1], endStream: true))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 3) == HTTP2ErrorCode.refusedStream.rawValue)
        #expect(exchange.peer.goAway == nil)
    }

    @Test(
        "a client that skips identifiers again and again may use none of them, early or late",
        arguments: [3, 19_803] as [UInt32]
    )
    func skipped(stream: UInt32) throws {
        let exchange = try RawExchange.server()
        for number in 0..<200 as Range<UInt32> { exchange.peer.send(.headers(100 * number + 1, .request())) }
        try exchange.run()
        #expect(exchange.peer.goAway == nil)
        exchange.peer.send(.headers(stream, .request()))
        try exchange.run()
        // Old gaps are forgotten: the connection ends all the same.
        #expect(Self.code(exchange) == (stream == 3 ? .streamClosed : .protocolError))
    }

    @Test("requests after a GOAWAY are ignored, until they are a flood")
    func afterGoAway() throws {
        let exchange = try RawExchange.server { _, _ in }
        exchange.peer.send(.headers(1, .request(), endStream: false))
        try exchange.run()
        exchange.session.submitGoAway()
        for number in 1...4000 as ClosedRange<UInt32> {
            exchange.peer.send(.headers(2 * number + 1, .request(), endStream: false), .data(2 * number + 1, [1]))
        }
        try exchange.run()
        #expect(exchange.session.endedBy == nil)
        for number in 4001...10_000 as ClosedRange<UInt32> { exchange.peer.send(.headers(2 * number + 1, .request())) }
        try exchange.run()
        #expect(exchange.session.endedBy?.code == .flood)
    }
}
