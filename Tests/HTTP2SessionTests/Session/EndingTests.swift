// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("The end of a session")
struct EndingTests {
    @Test("GOAWAY tells its last stream, code and debug data; streams above it close as refused, those below go on")
    func goAway() throws {
        let exchange = try RawExchange.client()
        for _ in 0..<4 { try exchange.session.request() }
        try exchange.run()
        let reason = Array(#"{"reason":"Shutdown"}"#.utf8)
        exchange.peer.send(.goAway(lastStream: 3, code: 0, debugData: reason))
        try exchange.run()
        let told = SessionEvent.goAway(lastStreamID: 3, .noError, #"{"reason":"Shutdown"}"#)
        #expect(exchange.recorder.events.contains(told))
        #expect(Set(exchange.recorder.closings.compactMap(\.closedStream)) == [5, 7])
        #expect(
            exchange.recorder.closings.allSatisfy { if case .closed(_, .refusedStream) = $0 { true } else { false } }
        )
        let firstClosing = exchange.recorder.events.firstIndex { $0.closedStream != nil }
        #expect(exchange.recorder.events.firstIndex(of: told).map { $0 + 1 } == firstClosing)
        #expect(!exchange.session.isFinished)

        exchange.peer.send(.headers(1, .response()), .headers(3, .response()))
        try exchange.run()
        #expect(exchange.recorder.closings.suffix(2) == [.closed(1, .noError), .closed(3, .noError)])
        #expect(exchange.session.isFinished)
        #expect(exchange.session.endedBy == nil)
    }

    @Test("after GOAWAY no request is taken, and one that still waited closes as refused at once")
    func requestsAfterGoAway() throws {
        let exchange = try RawExchange.client(settings: [0x3: 1])
        try exchange.session.request()
        try exchange.session.request()
        try exchange.run()
        exchange.peer.send(.goAway(lastStream: 1))
        try exchange.run()
        #expect(exchange.recorder.closings == [.closed(3, .refusedStream)])
        let error = #expect(throws: HTTP2SessionError.self) { try exchange.session.request() }
        #expect(error?.code == .invalidState)
        exchange.peer.send(.headers(1, .response()))
        try exchange.run()
        #expect(exchange.recorder.closings == [.closed(3, .refusedStream), .closed(1, .noError)])
        #expect(exchange.session.openStreams == 0)
        #expect(exchange.session.isFinished)
    }

    @Test("a server that goes away finishes what it has taken, then both sides are finished")
    func gracefulServer() throws {
        let pair = try SessionPair.introduced(server: { recorder, event in
            guard event.completedStream == 1, let session = recorder.session, let stream = recorder.streams[1] else {
                return
            }
            session.submitGoAway(debugData: Array("bye".utf8))
            try? session.respond(to: stream)
        })
        try pair.clientSession.request()
        try pair.exchange()
        #expect(pair.client.events.contains(.goAway(lastStreamID: 1, .noError, "bye")))
        #expect(pair.client.closings == [.closed(1, .noError)])
        #expect(pair.clientSession.isFinished)
        #expect(pair.serverSession.isFinished)
        #expect(pair.serverSession.endedBy == nil)
    }

    @Test("requests that arrive after a GOAWAY are ignored: the client knows that they were not processed")
    func lateRequests() throws {
        let exchange = try RawExchange.server()
        exchange.peer.send(.headers(1, .request()))
        try exchange.run()
        exchange.session.submitGoAway(code: .noError)
        try exchange.hear()
        exchange.peer.send(.headers(3, .request()))
        try exchange.run()
        #expect(exchange.peer.goAway?.lastStreamID == 1)
        #expect(exchange.recorder.streams.keys.sorted() == [1])
        #expect(exchange.session.isFinished)
    }

    @Test("a server's GOAWAY below open streams closes those as refused")
    func serverGoesAwayBelow() throws {
        let exchange = try RawExchange.server { _, _ in }
        exchange.peer.send(.headers(1, .request()), .headers(3, .request()))
        try exchange.run()
        exchange.session.submitGoAway(lastStreamID: 1, code: .internalError)
        try exchange.hear()
        #expect(exchange.recorder.closings == [.closed(3, .refusedStream)])
        #expect(exchange.peer.goAway?.errorCode == HTTP2ErrorCode.internalError.rawValue)
        #expect(exchange.session.endedBy == nil, "the owner ended it, not a failure")
    }

    @Test("an ended session reads nothing more")
    func termination() throws {
        let exchange = try RawExchange.server { _, _ in }
        exchange.session.submitTermination(code: .enhanceYourCalm)
        exchange.peer.send(.headers(1, .request()))
        try exchange.run()
        #expect(exchange.peer.goAway?.errorCode == HTTP2ErrorCode.enhanceYourCalm.rawValue)
        #expect(exchange.recorder.streams.isEmpty)
        #expect(exchange.session.isFinished)
    }

    @Test("a PING is answered with its own bytes")
    func ping() throws {
        let exchange = try RawExchange.server()
        exchange.peer.send(.ping([9, 8, 7, 6, 5, 4, 3, 2]))
        try exchange.run()
        #expect(exchange.peer.frames(.ping) == [.ping([9, 8, 7, 6, 5, 4, 3, 2], acknowledgement: true)])
    }

    @Test("the acknowledgement of a PING is told once for each that was sent, and never unasked")
    func pingAcknowledged() throws {
        let pair = try SessionPair.introduced()
        pair.clientSession.submitPing()
        try pair.exchange()
        #expect(pair.client.events.filter { $0 == .pingAcknowledged }.count == 1)

        let exchange = try RawExchange.client()
        exchange.peer.send(.ping(acknowledgement: true))
        try exchange.run()
        #expect(!exchange.recorder.events.contains(.pingAcknowledged))
    }
}
