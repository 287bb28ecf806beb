// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore
import Testing

@Suite("Corners of the protocol")
struct ProtocolTests {
    @Test("a warning of GOAWAY is no end: requests are still served, and the second one names the last of them")
    func gracefulShutdown() throws {
        let exchange = try RawExchange.server()
        exchange.session.submitGoAway(lastStreamID: .max)
        try exchange.hear()
        #expect(exchange.peer.goAway?.lastStreamID == UInt32(Int32.max))
        #expect(!exchange.session.isFinished)
        exchange.peer.send(.headers(1, .request()), .headers(3, .request()))
        try exchange.run()
        #expect(exchange.peer.frames(on: 3).last?.endsStream == true)
        exchange.session.submitGoAway()
        try exchange.hear()
        #expect(exchange.peer.goAway?.lastStreamID == 3)
        #expect(exchange.session.isFinished)
    }

    @Test("the last stream of a server's GOAWAY never grows")
    func lastStreamNeverGrows() throws {
        let exchange = try RawExchange.server { _, _ in }
        exchange.peer.send(.headers(1, .request()), .headers(3, .request()), .headers(5, .request()))
        try exchange.run()
        exchange.session.submitGoAway(lastStreamID: 3)
        exchange.session.submitGoAway(lastStreamID: 5)
        exchange.session.submitTermination()
        try exchange.hear()
        #expect(exchange.peer.frames(.goAway).map(\.lastStreamID) == [3, 3, 3])
    }

    @Test("a window that a change of settings takes below zero is filled up before more of the body goes")
    func negativeWindow() throws {
        let exchange = try RawExchange.client(settings: [0x3: 100, 0x4: 100])
        let body = LentBody(count: 300)
        try exchange.session.request(body: body.bytes)
        try exchange.run()
        exchange.peer.send(.settings([0x4: 10]))
        exchange.peer.send(.windowUpdate(1, by: 90))
        try exchange.run()
        #expect(exchange.peer.frames(.data).flatMap(\.payload).count == 100)
        exchange.peer.send(.windowUpdate(1, by: 5))
        try exchange.run()
        #expect(exchange.peer.frames(.data).flatMap(\.payload).count == 105)
        exchange.peer.send(.settings([0x4: 1000]))
        try exchange.run()
        #expect(exchange.peer.frames(.data).flatMap(\.payload) == body.copy)
    }

    @Test("bodies share the connection's window: one that is large does not hold up one that is small")
    func turns() throws {
        let exchange = try RawExchange.client(settings: [0x3: 100, 0x4: 1_000_000])
        let (large, small) = (LentBody(count: 500_000), LentBody(count: 20_000, seed: 1))
        try exchange.session.request(body: large.bytes)
        try exchange.session.request(body: small.bytes)
        try exchange.run()
        exchange.peer.send(.windowUpdate(0, by: 60_000))
        try exchange.run()
        #expect(exchange.peer.frames(on: 3).filter { $0.kind == .data }.flatMap(\.payload) == small.copy)
        #expect(exchange.peer.frames(on: 1).last?.endsStream == false)
    }

    @Test("header fields that fill more than one frame go on in CONTINUATION, and the other side takes them as one")
    func continuation() throws {
        let exchange = try RawExchange.server { recorder, event in
            guard let id = event.completedStream, let stream = recorder.streams[id] else { return }
            try? recorder.session?.respond(to: stream, filler: 50_000)
        }
        exchange.peer.send(.headers(1, .request()), .headers(3, .request()))
        try exchange.run()
        for stream: UInt32 in [1, 3] {
            let frames = exchange.peer.frames(on: stream)
            #expect(frames.map(\.kind) == [.headers, .continuation, .continuation, .continuation])
            #expect(frames.map { $0.flags.contains(.endHeaders) } == [false, false, false, true])
            #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
            let block = frames.flatMap(\.payload)
            guard case .literal(.never, nameIndex: 0, 50_000)? = HPACKRepresentation.all(of: block)?.last else {
                Issue.record("the block is not whole")
                return
            }
        }
    }

    @Test("a session that is at work is not entered again")
    func reentry() throws {
        var errors: [HTTP2SessionError.Code?] = []
        let exchange = try RawExchange.server { recorder, event in
            guard case .headersBegan = event, let session = recorder.session else { return }
            do { _ = try session.output() } catch { errors.append((error as? HTTP2SessionError)?.code) }
            do { try session.receive([]) } catch { errors.append((error as? HTTP2SessionError)?.code) }
        }
        exchange.peer.send(.headers(1, .request()))
        try exchange.run()
        #expect(errors == [.invalidState, .invalidState])
    }

    @Test(
        "settings that RFC 9113 does not allow are refused",
        arguments: [
            HTTP2Settings(initialWindowSize: 1 << 31), HTTP2Settings(maximumFrameSize: 16_383),
            HTTP2Settings(maximumFrameSize: 1 << 24),
        ]
    )
    func badSettings(_ settings: HTTP2Settings) {
        let error = #expect(throws: HTTP2SessionError.self) {
            try HTTP2Session(role: .client, settings: settings, delegate: SessionRecorder())
        }
        #expect(error?.code == .invalidState)
    }

    @Test("after more streams than one table holds, in any order of their ends, each is found and closed once")
    func manyStreams() throws {
        var random = SeededRandom(seed: 7)
        let exchange = try RawExchange.client(settings: [:])
        var open: [UInt32] = []
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 0...80, using: &random) {
                open.append(UInt32(try exchange.session.request().id))
            }
            try exchange.run()
            open.shuffle(using: &random)
            for _ in 0..<min(open.count, .random(in: 0...70, using: &random)) {
                exchange.peer.send(.headers(open.removeLast(), .response()))
            }
            try exchange.run()
            #expect(exchange.session.openStreams == open.count)
        }
        #expect(exchange.recorder.brokenPromises.isEmpty)
        #expect(exchange.recorder.closings.allSatisfy { if case .closed(_, .noError) = $0 { true } else { false } })
    }

    @Test(
        "a request whose fields RFC 9113 does not allow is reset, and the connection lives",
        arguments: [
            [":method": "POST", ":scheme": "https", ":path": "", ":authority": "a"],
            [":method": "POST", ":scheme": "https", ":path": "no-slash", ":authority": "a"],
            [":method": "POST", ":scheme": "https", ":path": "*", ":authority": "a"],
            [":method": "PO ST", ":scheme": "https", ":path": "/", ":authority": "a"],
            [":method": "CONNECT", ":scheme": "https", ":path": "/", ":authority": "a"],
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "a", "x": " space"],
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "a", "x": "a\r\nb"],
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "a", "te": "gzip"],
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "a", "transfer-encoding": "chunked"],
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "a", "content-length": "1x"],
            [":method": "POST", ":scheme": "https", ":path": "/", ":authority": "a", "content-length": "1"],
        ] as [KeyValuePairs<String, String>]
    )
    func malformed(_ fields: KeyValuePairs<String, String>) throws {
        let exchange = try RawExchange.server()
        exchange.peer.send(.headers(1, HPACKBlock(fields)), .headers(3, .request()))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 1) == HTTP2ErrorCode.protocolError.rawValue)
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.peer.frames(on: 3).last?.endsStream == true)
    }

    @Test(
        "unusual requests that RFC 9113 does allow are served",
        arguments: [
            [":method": "OPTIONS", ":scheme": "https", ":path": "*", ":authority": "a"],
            [":method": "CONNECT", ":authority": "a:443"],
            [":method": "GET", ":scheme": "https", ":path": "/a?b=c", ":authority": "a", "te": "trailers"],
            [":method": "GET", ":scheme": "https", ":path": "/", "host": "a", "x": "", "content-length": "0"],
        ] as [KeyValuePairs<String, String>]
    )
    func unusual(_ fields: KeyValuePairs<String, String>) throws {
        let exchange = try RawExchange.server()
        exchange.peer.send(.headers(1, HPACKBlock(fields)))
        try exchange.run()
        #expect(exchange.peer.resetCode(of: 1) == nil)
        #expect(exchange.peer.frames(on: 1).last?.endsStream == true)
    }
}
