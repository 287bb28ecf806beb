// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

@Suite("A server session and the clauses of RFC 9113", .timeLimit(.minutes(20)))
struct ConformanceTests {
    @Test("frames: sizes, flags, streams that they may not be on", arguments: Clause.frames)
    func frames(_ clause: Clause) throws { try Self.hold(clause) }

    @Test("streams: states, identifiers, how many at once", arguments: Clause.streams)
    func streams(_ clause: Clause) throws { try Self.hold(clause) }

    @Test("settings, pings and farewells", arguments: Clause.connection)
    func connection(_ clause: Clause) throws { try Self.hold(clause) }

    @Test("flow control", arguments: Clause.flowControl)
    func flowControl(_ clause: Clause) throws { try Self.hold(clause) }

    @Test("header blocks and their continuation", arguments: Clause.headerBlocks)
    func headerBlocks(_ clause: Clause) throws { try Self.hold(clause) }

    @Test("messages: fields, pseudo-header fields, lengths", arguments: Clause.messages)
    func messages(_ clause: Clause) throws { try Self.hold(clause) }

    private static func hold(_ clause: Clause) throws {
        let settings = HTTP2Settings(maximumConcurrentStreams: 100)
        let exchange =
            clause.isAnswered
            ? try RawExchange.server(settings: settings) : try RawExchange.server(settings: settings) { _, _ in }
        for frame in clause.preamble { exchange.peer.send(frame) }
        try exchange.run()
        clause.play(&exchange.peer)
        try exchange.run()
        let reaction = exchange.reaction
        #expect(clause.allowed.contains(reaction), "\(clause.section)")
        for stream in clause.served {
            #expect(exchange.peer.frames(on: stream).contains { $0.kind == .headers }, "stream \(stream) has no answer")
        }
        if case .connectionError = reaction {
            #expect(exchange.session.isFinished)
        } else if !clause.isFarewell {
            try Self.expectLife(exchange)
        }
        #expect(exchange.recorder.brokenPromises.isEmpty)
        #expect(!exchange.recorder.events.contains(where: Self.showsBadField), "a field that breaks the rules is shown")
    }

    /// Whether the session hands on a field that no HTTP message may hold (RFC 9113 section 8.2.1).
    private static func showsBadField(_ event: SessionEvent) -> Bool {
        guard case .field(_, let name, let value) = event else { return false }
        let isBadName =
            name.isEmpty || name.dropFirst().contains(":") || name.utf8.contains { $0 <= 0x20 || $0 >= 0x7F }
        return isBadName || value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
    }

    /// Checks that the connection still takes requests and answers a PING with its own bytes.
    private static func expectLife(_ exchange: RawExchange) throws {
        let sign: [UInt8] = [9, 9, 9, 9, 1, 1, 1, 1]
        exchange.peer.send(.headers(1001, .request()), .ping(sign))
        try exchange.run()
        #expect(exchange.recorder.events.contains(.headersEnded(1001, endStream: true)))
        #expect(exchange.peer.frames(.ping).contains { $0.flags == .acknowledgement && $0.payload == sign })
        #expect(exchange.peer.goAway == nil)
    }
}
