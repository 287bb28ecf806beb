// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore
import Testing

@Suite("HTTP/2 sessions with mutated frames", .timeLimit(.minutes(20)))
struct MutatedFrameTests {
    @Test(
        "a session keeps its promises whatever the peer says, and what it answers is frames",
        arguments: [HTTP2Session.Role.server, .client],
        0..<8 as Range<UInt64>
    )
    func nonsense(role: HTTP2Session.Role, batch: UInt64) throws {
        for number in 0..<150 as Range<UInt64> {
            try Self.converse(role, seed: batch << 32 | number)
        }
    }

    private static func converse(_ role: HTTP2Session.Role, seed: UInt64) throws {
        var mutator = FrameMutator(seed: seed)
        let exchange = try RawExchange(role) { recorder, event in
            if role == .server { SessionPair.answer(recorder, event) }
        }
        let body = LentBody(count: 70_000)
        if role == .client {
            for number in 0..<6 {
                let empty = UnsafeRawBufferPointer(start: nil, count: 0)
                try exchange.session.request(body: number.isMultiple(of: 2) ? body.bytes : empty)
            }
        }
        for piece in mutator.conversation(of: role == .server ? .client : .server) {
            try exchange.session.receive(piece, at: exchange.now)
            if seed.isMultiple(of: 3) { try exchange.hear() }
        }
        try exchange.hear()
        #expect(exchange.recorder.brokenPromises.isEmpty, "seed \(seed)")
        let closed = exchange.recorder.closings.compactMap(\.closedStream)
        #expect(Set(closed).count == closed.count, "seed \(seed)")
        #expect(exchange.session.openStreams >= 0, "seed \(seed)")
        if let goAway = exchange.peer.goAway, goAway.errorCode != 0 {
            #expect(exchange.session.isFinished, "seed \(seed)")
            #expect(exchange.session.endedBy != nil, "seed \(seed)")
        }
    }
}
