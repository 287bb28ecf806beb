// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore
import NIOEmbedded
import Testing

@Suite("A connection whose peer does not read")
struct StallTests {
    @Test("nothing is written until the transport takes more, then everything is")
    func resume() throws {
        let end = try EmbeddedPeer(.server, SessionPair.answer)
        end.setWritable(false)
        for number in 0..<300 as Range<UInt32> { end.peer.send(.headers(2 * number + 1, .request())) }
        try end.run()
        #expect(end.peer.frames(.headers).isEmpty)
        #expect(end.recorder.connection?.session?.openStreams == 300)
        end.setWritable(true)
        try end.hear()
        #expect(end.peer.frames(.headers).count == 300)
        #expect(end.recorder.connection?.session?.openStreams == 0)
    }

    @Test("one write holds no more than the limit, and the rest follows turn by turn")
    func pieces() throws {
        let limits = HTTP2Limits(maximumPendingOutput: 10_000)
        let end = try EmbeddedPeer(.server, limits: limits) { recorder, event in
            guard let id = event.completedStream, let stream = recorder.streams[id] else { return }
            try? recorder.session?.respond(to: stream, filler: 1000)
        }
        for number in 0..<100 as Range<UInt32> { end.peer.send(.headers(2 * number + 1, .request())) }
        try end.run()
        #expect(end.peer.frames(.headers).count == 100)
        #expect(end.writes.count > 5)
        #expect(end.writes.allSatisfy { $0 < 10_000 + 16_384 })
    }

    @Test("a peer that takes nothing for the stall timeout loses the connection")
    func timeout() throws {
        let end = try EmbeddedPeer(.server, limits: HTTP2Limits(stallTimeout: .seconds(30)), SessionPair.answer)
        end.setWritable(false)
        end.peer.send(.headers(1, .request()))
        try end.run()
        end.channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        #expect(end.channel.isActive)
        end.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!end.channel.isActive)
        #expect(end.recorder.error?.code == .connectionLost)
        #expect(end.recorder.error?.message == "the peer took nothing for 30.0 s")
    }

    @Test("a slow peer that takes something now and then keeps the connection")
    func slow() throws {
        let end = try EmbeddedPeer(.server, limits: HTTP2Limits(stallTimeout: .seconds(30)), SessionPair.answer)
        for number in 0..<10 as Range<UInt32> {
            end.setWritable(false)
            end.peer.send(.headers(2 * number + 1, .request()))
            try end.run()
            end.channel.embeddedEventLoop.advanceTime(by: .seconds(20))
            end.setWritable(true)
            try end.hear()
        }
        #expect(end.channel.isActive)
        #expect(end.recorder.closings.count == 10)
        end.channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(end.channel.isActive)
    }

    @Test("floods of a peer that never reads end its connection, and what was kept for it goes")
    func flood() throws {
        let end = try EmbeddedPeer(.server, limits: HTTP2Limits(stallTimeout: .seconds(30)), SessionPair.answer)
        end.setWritable(false)
        for _ in 0..<5000 { end.peer.send(.ping()) }
        try end.run()
        end.channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(!end.channel.isActive)
        #expect(end.recorder.error?.code == .flood)
    }
}
