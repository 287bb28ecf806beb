// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("Messages between two sessions")
struct MessageTests {
    @Test("a request and its response reach the other side whole and in order")
    func oneExchange() throws {
        let pair = try SessionPair.introduced()
        let body = LentBody(count: 5)
        try pair.clientSession.request(path: "/3/device/ab", body: body.bytes)
        try pair.exchange()
        #expect(
            pair.server.events.filter { $0 != .settings } == [
                .headersBegan(1),
                .field(1, ":method", "POST"),
                .field(1, ":scheme", "https"),
                .field(1, ":authority", "api.push.example"),
                .field(1, ":path", "/3/device/ab"),
                .field(1, "apns-topic", "com.example.app"),
                .headersEnded(1, endStream: false),
                .data(1, 5),
                .dataEnded(1),
                .closed(1, .noError),
            ]
        )
        #expect(
            pair.client.events.filter { $0 != .settings } == [
                .headersBegan(1),
                .field(1, ":status", "200"),
                .headersEnded(1, endStream: false),
                .data(1, 5),
                .dataEnded(1),
                .closed(1, .noError),
            ]
        )
        #expect(pair.client.bodies[1] == body.copy)
        #expect(pair.brokenPromises.isEmpty)
    }

    @Test(
        "a body of any size arrives whole, larger than a frame and than the flow-control windows",
        arguments: [1, 16_383, 16_384, 16_385, 65_534, 65_535, 65_536, 1_000_000]
    )
    func bodySizes(count: Int) throws {
        let pair = try SessionPair.introduced()
        let body = LentBody(count: count)
        try pair.clientSession.request(body: body.bytes)
        try pair.exchange()
        #expect(pair.server.bodies[1] == body.copy)
        #expect(pair.client.bodies[1] == body.copy)
        #expect(pair.client.closings == [.closed(1, .noError)])
        #expect(pair.clientSession.openStreams == 0)
        #expect(pair.serverSession.openStreams == 0)
    }

    @Test("an empty body ends the stream on HEADERS, both ways")
    func emptyBodies() throws {
        let pair = try SessionPair.introduced()
        try pair.clientSession.request()
        try pair.exchange()
        #expect(pair.clientFrames.filter { $0.streamID == 1 }.map(\.kind) == [.headers])
        #expect(pair.serverFrames.filter { $0.streamID == 1 }.map(\.kind) == [.headers])
        #expect(pair.clientFrames.last?.endsStream == true)
        #expect(pair.server.events.contains(.headersEnded(1, endStream: true)))
        #expect(pair.client.events.contains(.headersEnded(1, endStream: true)))
        #expect(pair.client.closings == [.closed(1, .noError)])
    }

    @Test("a body that is not taken stops at the window, and goes on when the peer widens it")
    func flowControl() throws {
        let exchange = try RawExchange.client()
        let body = LentBody(count: 200_000)
        try exchange.session.request(body: body.bytes)
        try exchange.run()
        #expect(Self.dataBytes(exchange) == 65_535)
        #expect(exchange.session.remoteWindowSize == 0)
        exchange.peer.send(.windowUpdate(0, by: 300_000), .windowUpdate(1, by: 300_000))
        try exchange.run()
        #expect(Self.dataBytes(exchange) == 200_000)
        #expect(exchange.peer.received.last?.endsStream == true)
    }

    private static func dataBytes(_ exchange: RawExchange) -> Int {
        exchange.peer.frames(.data).reduce(0) { $0 + $1.payload.count }
    }

    @Test("a lent body is not read any more once its stream has closed")
    func lentBody() throws {
        let body = LentBody(count: 300_000)
        let pair = try SessionPair.introduced(
            client: { _, event in if event == .closed(1, .cancel) { body.spoil() } },
            server: { recorder, event in
                guard case .data(1, _) = event, let stream = recorder.streams[1] else { return }
                recorder.session?.reset(stream, code: .cancel)
            }
        )
        try pair.clientSession.request(body: body.bytes)
        try pair.exchange()
        #expect(pair.client.closings == [.closed(1, .cancel)])
        #expect(body.bytes[0] == LentBody.spoilt)
        #expect(pair.server.bodies[1]?.contains(LentBody.spoilt) == false)
        let sent = pair.clientFrames.filter { $0.kind == .data }.flatMap(\.payload)
        #expect(!sent.contains(LentBody.spoilt))
        #expect(pair.brokenPromises.isEmpty)
    }

    @Test("output stops near the limit that it is given and goes on from there")
    func writeLimit() throws {
        let pair = try SessionPair.introduced()
        let body = LentBody(count: 60_000)
        try pair.clientSession.request(body: body.bytes)
        var reader = HTTP2FrameReader()
        reader.append(try pair.clientSession.output(limit: 20_000))
        #expect(reader.unreadBytes < 20_000 + 16_384 + 9)
        reader.append(try pair.clientSession.output())
        let sent = reader.frames().filter { $0.kind == .data }.flatMap(\.payload)
        #expect(sent == body.copy)
    }
}
