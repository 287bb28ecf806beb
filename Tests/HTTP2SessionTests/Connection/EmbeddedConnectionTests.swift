// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore
import NIOEmbedded
import Testing

@Suite("A connection and its delegate")
struct EmbeddedConnectionTests {
    @Test("what is submitted in one turn goes out in one write")
    func coalesced() throws {
        let end = try EmbeddedPeer(.client)
        let before = end.writes.count
        let connection = try #require(end.recorder.connection)
        let session = try #require(connection.session)
        for _ in 0..<500 {
            try session.request()
            connection.scheduleFlush()
        }
        try end.hear()
        #expect(end.peer.frames(.headers).count == 500)
        #expect(end.writes.count == before + 1)
    }

    @Test("what is submitted while input is read goes out in one write when the read is over")
    func coalescedAnswers() throws {
        let end = try EmbeddedPeer(.server) { recorder, event in
            SessionPair.answer(recorder, event)
            recorder.connection?.flush()
            recorder.connection?.scheduleFlush()
        }
        let before = end.writes.count
        for number in 0..<200 as Range<UInt32> { end.peer.send(.headers(2 * number + 1, .request())) }
        try end.run()
        #expect(end.peer.frames(.headers).count == 200)
        #expect(end.writes.count == before + 1)
        #expect(end.recorder.events.filter { $0 == .readBurst }.count == 2)
    }

    @Test("a delegate may flush and submit while the session writes")
    func flushWhileWriting() throws {
        let end = try EmbeddedPeer(.server) { recorder, event in
            guard event.closedStream != nil else { return SessionPair.answer(recorder, event) }
            recorder.session?.submitPing()
            recorder.connection?.flush()
        }
        end.peer.send(.headers(1, .request()), .headers(3, .request()))
        try end.run()
        #expect(end.recorder.closings.count == 2)
        #expect(end.peer.frames(.ping).count == 2)
    }

    @Test("a delegate may close from within any call, is told once, and gets no call after that")
    func closeInCall() throws {
        for trigger in [
            SessionEvent.settings, .headersBegan(1), .dataEnded(1), .closed(1, .noError), .readBurst, .opened,
        ] {
            weak var released: SessionRecorder?
            do {
                let end = try EmbeddedPeer(.server) { recorder, event in
                    if event == trigger { recorder.connection?.close() }
                    SessionPair.answer(recorder, event)
                }
                end.peer.send(.headers(1, .request(), endStream: false), .data(1, [1], endStream: true))
                for number in 1..<50 as Range<UInt32> { end.peer.send(.headers(2 * number + 1, .request())) }
                try? end.run()
                #expect(end.recorder.events.filter { $0 == .connectionClosed(nil) }.count == 1, "\(trigger)")
                #expect(end.recorder.events.last == .connectionClosed(nil), "\(trigger)")
                #expect(!end.channel.isActive)
                #expect(end.recorder.connection?.session == nil)
                released = end.recorder
                #expect(released != nil)
            }
            #expect(released == nil, "the connection lets its delegate go: \(trigger)")
        }
    }

    @Test("a channel that closes under the session while its delegate is being called does no harm")
    func channelClosesInCall() throws {
        let channel = ChannelBox()
        let end = try EmbeddedPeer(.server) { recorder, event in
            if event == .headersBegan(3) { channel.value?.close(promise: nil) }
            SessionPair.answer(recorder, event)
        }
        channel.value = end.channel
        for number in 0..<50 as Range<UInt32> { end.peer.send(.headers(2 * number + 1, .request())) }
        try? end.run()
        #expect(end.recorder.events.last == .connectionClosed(nil))
        #expect(end.recorder.events.filter { $0 == .connectionClosed(nil) }.count == 1)
    }

    @Test("flushing and closing after the end are harmless")
    func afterTheEnd() throws {
        let end = try EmbeddedPeer(.client)
        let connection = try #require(end.recorder.connection)
        let session = try #require(connection.session)
        connection.scheduleFlush()
        connection.close()
        connection.close()
        try session.request()
        connection.flush()
        connection.scheduleFlush()
        try end.hear()
        #expect(connection.session == nil)
        #expect(end.peer.frames(.headers).isEmpty)
        #expect(end.recorder.events.filter { $0 == .connectionClosed(nil) }.count == 1)
    }

    @Test("a violation is answered with GOAWAY, then the connection closes and names the rule")
    func violation() throws {
        let end = try EmbeddedPeer(.server)
        end.peer.send(.data(0, [1]))
        try end.run()
        #expect(end.peer.goAway?.errorCode == HTTP2ErrorCode.protocolError.rawValue)
        #expect(!end.channel.isActive)
        #expect(end.recorder.error?.code == .protocolViolation)
        #expect(end.recorder.error?.message.contains("PROTOCOL_ERROR") == true)
    }

    @Test("garbage closes the connection with an error that says so")
    func garbage() throws {
        let end = try EmbeddedPeer(.server)
        end.peer.send(bytes: [UInt8](repeating: 0xff, count: 100))
        try end.run()
        #expect(!end.channel.isActive)
        #expect(end.recorder.error?.code == .protocolViolation)
    }

    @Test("an orderly end on both sides closes the connection without an error")
    func orderlyEnd() throws {
        let end = try EmbeddedPeer(.client)
        let connection = try #require(end.recorder.connection)
        try connection.session?.request()
        connection.flush()
        try end.hear()
        end.peer.send(.goAway(lastStream: 1), .headers(1, .response()))
        try end.run()
        #expect(end.recorder.closings == [.closed(1, .noError)])
        #expect(end.recorder.events.last == .connectionClosed(nil))
        #expect(!end.channel.isActive)
    }
}

/// A channel that is known only after the reaction that needs it was made.
private final class ChannelBox {
    var value: (any Channel)?
}
