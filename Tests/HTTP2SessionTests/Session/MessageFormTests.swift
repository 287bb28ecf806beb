// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("Unusual but lawful messages")
struct MessageFormTests {
    @Test("a response of status 1xx comes before the final one, each as a header block of its own")
    func informational() throws {
        let exchange = try RawExchange.client()
        try exchange.session.request()
        try exchange.run()
        exchange.peer.send(.headers(1, .response("103"), endStream: false), .headers(1, .response("200")))
        try exchange.run()
        #expect(
            exchange.recorder.events.filter { $0 != .settings } == [
                .headersBegan(1), .field(1, ":status", "103"), .headersEnded(1, endStream: false),
                .headersBegan(1), .field(1, ":status", "200"), .headersEnded(1, endStream: true),
                .closed(1, .noError),
            ]
        )
    }

    @Test("trailers of a response come as a header block that ends the stream")
    func responseTrailers() throws {
        let exchange = try RawExchange.client()
        try exchange.session.request()
        try exchange.run()
        exchange.peer.send(
            .headers(1, .response(), endStream: false),
            .data(1, [1, 2, 3]),
            .headers(1, HPACKBlock(["checksum": "abc"]))
        )
        try exchange.run()
        #expect(
            exchange.recorder.events.suffix(5) == [
                .data(1, 3), .headersBegan(1), .field(1, "checksum", "abc"), .headersEnded(1, endStream: true),
                .closed(1, .noError),
            ]
        )
    }

    @Test("trailers of a request end its body and are not told")
    func requestTrailers() throws {
        let exchange = try RawExchange.server()
        exchange.peer.send(
            .headers(1, .request(), endStream: false),
            .data(1, [1, 2, 3]),
            .headers(1, HPACKBlock(["checksum": "abc"]))
        )
        try exchange.run()
        #expect(exchange.recorder.events.contains(.dataEnded(1)))
        #expect(!exchange.recorder.fields(on: 1).contains("checksum: abc"))
        #expect(exchange.peer.frames(on: 1).last?.endsStream == true)
    }

    @Test("an answer to HEAD goes without its body, and the connection goes on")
    func head() throws {
        let exchange = try RawExchange.server { recorder, event in
            guard let id = event.completedStream, let stream = recorder.streams[id] else { return }
            try? recorder.session?.respond(to: stream, status: "405", body: [1, 2, 3])
        }
        exchange.peer.send(.headers(1, .request(method: "HEAD")), .headers(3, .request()))
        try exchange.run()
        #expect(exchange.peer.frames(on: 1).map(\.kind) == [.headers])
        #expect(exchange.peer.frames(on: 1).last?.endsStream == true)
        #expect(exchange.peer.frames(on: 3).map(\.kind) == [.headers, .data])
    }

    @Test("padding is taken off a body, and counts for flow control only")
    func padding() throws {
        let exchange = try RawExchange.server()
        let padded = HTTP2Frame(.data, flags: [.endStream, .padded], stream: 1, payload: [4, 7, 8, 9, 0, 0, 0, 0])
        exchange.peer.send(.headers(1, .request(), endStream: false), padded)
        try exchange.run()
        #expect(exchange.recorder.bodies[1] == [7, 8, 9])
    }

    @Test("a header block in pieces is told as one")
    func continuations() throws {
        let exchange = try RawExchange.server()
        let block = HPACKBlock.request().bytes
        exchange.peer.send(
            .headers(1, HPACKBlock(Array(block[..<10])), endHeaders: false),
            .continuation(1, HPACKBlock(Array(block[10..<30])), endHeaders: false),
            .continuation(1, HPACKBlock(Array(block[30...])), endHeaders: true)
        )
        try exchange.run()
        #expect(exchange.recorder.fields(on: 1).count == 4)
        #expect(exchange.recorder.events.filter { $0 == .headersBegan(1) }.count == 1)
        #expect(exchange.peer.frames(on: 1).last?.endsStream == true)
    }

    @Test("a client that names the host in `host` and not in `:authority` is served")
    func hostField() throws {
        let exchange = try RawExchange.server()
        let fields: KeyValuePairs = [":method": "POST", ":scheme": "https", ":path": "/", "host": "localhost"]
        exchange.peer.send(.headers(1, HPACKBlock(fields)))
        try exchange.run()
        #expect(exchange.recorder.fields(on: 1).contains("host: localhost"))
        #expect(exchange.peer.frames(on: 1).last?.endsStream == true)
    }

    @Test("a response that ends before its request did is complete, though the server resets the rest")
    func earlyResponse() throws {
        let exchange = try RawExchange.client()
        let body = LentBody(count: 500_000)
        try exchange.session.request(body: body.bytes)
        try exchange.run()
        exchange.peer.send(.headers(1, .response("413")), .reset(1, code: 0))
        try exchange.run()
        #expect(exchange.recorder.closings == [.closed(1, .noError)])
        #expect(exchange.recorder.fields(on: 1) == [":status: 413"])
    }

    @Test("a frame of an unknown type is ignored, and so is one setting that nobody knows")
    func unknown() throws {
        let exchange = try RawExchange.server()
        exchange.peer.send(
            HTTP2Frame(HTTP2Frame.Kind(rawValue: 0xbe), stream: 0, payload: [1, 2, 3]),
            .settings([0xbeef: 42]),
            .headers(1, .request())
        )
        try exchange.run()
        #expect(exchange.peer.goAway == nil)
        #expect(exchange.peer.frames(on: 1).last?.endsStream == true)
    }

    @Test("bytes may come one at a time")
    func byteByByte() throws {
        let exchange = try RawExchange(.server, SessionPair.answer)
        exchange.peer.sendHello()
        exchange.peer.send(.headers(1, .request(), endStream: false), .data(1, [1, 2, 3], endStream: true))
        for byte in exchange.peer.takeOutput() { try exchange.session.receive([byte]) }
        try exchange.hear()
        #expect(exchange.recorder.bodies[1] == [1, 2, 3])
        #expect(exchange.peer.frames(on: 1).last?.endsStream == true)
    }
}
