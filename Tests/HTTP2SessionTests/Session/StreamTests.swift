// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("Streams of a session")
struct StreamTests {
    @Test("a thousand streams are open at once, in dense slots, and each closes once")
    func thousand() throws {
        let count = 1000
        let pair = try SessionPair.introduced(
            serverSettings: HTTP2Settings(maximumConcurrentStreams: 1000),
            server: { recorder, event in
                guard event.completedStream != nil, let session = recorder.session, session.openStreams == count else {
                    return
                }
                for stream in recorder.streams.values { try? session.respond(to: stream) }
            }
        )
        let body = LentBody(count: 230)
        for index in 0..<count { try pair.clientSession.request(path: "/3/device/\(index)", body: body.bytes) }
        #expect(pair.clientSession.openStreams == count)
        try pair.exchange()
        #expect(pair.client.closings.count == count)
        #expect(pair.client.closings.allSatisfy { if case .closed(_, .noError) = $0 { true } else { false } })
        #expect(Set(pair.server.streams.values.map(\.slot)) == Set(0..<count))
        #expect(Set(pair.client.streams.values.map(\.slot)) == Set(0..<count))
        #expect(pair.brokenPromises.isEmpty)
    }

    @Test("the slot of a closed stream is given out again")
    func slotsAgain() throws {
        let pair = try SessionPair.introduced()
        for _ in 0..<50 {
            for _ in 0..<4 { try pair.clientSession.request() }
            try pair.exchange()
        }
        #expect(pair.client.closings.count == 200)
        #expect(pair.client.streams.values.allSatisfy { $0.slot < 4 })
        #expect(pair.server.streams.values.allSatisfy { $0.slot < 4 })
        #expect(pair.brokenPromises.isEmpty)
    }

    @Test("a request submitted while another closes goes out, whoever is writing or reading")
    func submitWhileClosing() throws {
        let pair = try SessionPair.introduced(client: { recorder, event in
            guard event.closedStream != nil, recorder.closings.count < 300 else { return }
            _ = try? recorder.session?.request()
        })
        try pair.clientSession.request()
        try pair.exchange()
        #expect(pair.client.closings.count == 300)
        #expect(pair.brokenPromises.isEmpty)
    }

    @Test("a request is answered once: a second answer throws and changes nothing")
    func secondAnswer() throws {
        var failures: [HTTP2SessionError.Code?] = []
        let pair = try SessionPair.introduced(server: { recorder, event in
            guard event.completedStream == 1, let session = recorder.session, let stream = recorder.streams[1] else {
                return
            }
            do {
                try session.respond(to: stream, body: Array("first".utf8))
                try session.respond(to: stream, status: "500", body: Array("second, and longer".utf8))
            } catch {
                failures.append((error as? HTTP2SessionError)?.code)
            }
        })
        try pair.clientSession.request()
        try pair.exchange()
        #expect(failures == [.invalidState])
        #expect(pair.client.fields(on: 1) == [":status: 200"])
        #expect(pair.client.bodies[1] == Array("first".utf8))
    }

    @Test("an answer to a closed stream throws and does not touch the stream that has its slot now")
    func answerToClosedStream() throws {
        let pair = try SessionPair.introduced(server: { _, _ in })
        let request = try pair.clientSession.request()
        try pair.exchange()
        let old = try #require(pair.server.streams[1])
        pair.clientSession.reset(request, code: .cancel)
        try pair.exchange()
        try pair.clientSession.request()
        try pair.exchange()
        let new = try #require(pair.server.streams[3])
        #expect(new.slot == old.slot)
        try pair.serverSession.respond(to: new, body: Array("new".utf8))
        let error = #expect(throws: HTTP2SessionError.self) {
            try pair.serverSession.respond(to: old, body: Array("old".utf8))
        }
        #expect(error?.code == .invalidState)
        pair.serverSession.reset(old, code: .internalError)
        try pair.exchange()
        #expect(pair.client.bodies[3] == Array("new".utf8))
        #expect(pair.client.closings.last == .closed(3, .noError))
    }

    @Test("RST_STREAM carries its code to the other side", arguments: [false, true])
    func reset(byServer: Bool) throws {
        let code = HTTP2ErrorCode(rawValue: 0x1234)
        let pair = try SessionPair.introduced(server: { recorder, event in
            guard byServer, event.completedStream == 1, let stream = recorder.streams[1] else { return }
            recorder.session?.reset(stream, code: code)
        })
        let stream = try pair.clientSession.request()
        try pair.exchange()
        if !byServer {
            pair.clientSession.reset(stream, code: code)
            try pair.exchange()
        }
        #expect(pair.client.closings == [.closed(1, code)])
        #expect(pair.server.closings == [.closed(1, code)])
        #expect(pair.serverSession.openStreams == 0)
        #expect(pair.brokenPromises.isEmpty)
    }

    @Test("a stream can be reset by its slot, and a slot that no stream has is left alone")
    func resetBySlot() throws {
        let pair = try SessionPair.introduced(server: { _, _ in })
        let stream = try pair.clientSession.request()
        for slot in [-1, 1, 1 << 40] { pair.clientSession.reset(slot: slot, code: .internalError) }
        pair.clientSession.reset(slot: stream.slot, code: .cancel)
        try pair.exchange()
        pair.clientSession.reset(slot: stream.slot, code: .internalError)
        try pair.exchange()
        #expect(pair.client.closings == [.closed(1, .cancel)])
        #expect(!pair.clientFrames.contains { $0.kind == .resetStream && $0.streamID == 0 })
    }

    @Test("a request that was reset before it went out never reaches the wire")
    func resetInQueue() throws {
        let pair = try SessionPair(server: SessionPair.answer)
        let first = try pair.clientSession.request()
        let second = try pair.clientSession.request()
        pair.clientSession.reset(first, code: .cancel)
        pair.clientSession.reset(second, code: .cancel)
        try pair.exchange()
        #expect(!pair.clientFrames.contains { $0.kind == .headers })
        #expect(Set(pair.client.closings.compactMap(\.closedStream)) == [1, 3])
        #expect(pair.clientSession.openStreams == 0)
    }

    @Test("a reset with NO_ERROR before an answer is told as cancelled, not as complete", arguments: [false, true])
    func resetWithoutError(byServer: Bool) throws {
        let exchange = try byServer ? RawExchange.client() : RawExchange.server({ _, _ in })
        if byServer { try exchange.session.request() } else { exchange.peer.send(.headers(1, .request())) }
        try exchange.run()
        exchange.peer.send(.reset(1, code: 0))
        try exchange.run()
        #expect(exchange.recorder.closings == [.closed(1, .cancel)])
    }
}
