// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

/// What a hostile peer does, and what RFC 9113 has for it.
struct Attack: Sendable, CustomTestStringConvertible {
    /// How the session defends itself.
    enum Defence: Sendable, Equatable {
        /// The connection ends with GOAWAY.
        case goAway(HTTP2ErrorCode)
        /// One stream ends with RST_STREAM; the connection lives.
        case reset(UInt32, HTTP2ErrorCode)
        /// Nothing happens; the connection lives.
        case none
    }

    /// The promise.
    let name: String
    let defence: Defence
    /// Whether the peer introduces itself as HTTP/2 has it before it begins.
    var isIntroduced = true
    let play: @Sendable (inout RawHTTP2Peer) -> Void

    init(
        _ name: String,
        _ defence: Defence,
        isIntroduced: Bool = true,
        _ play: @escaping @Sendable (inout RawHTTP2Peer) -> Void
    ) {
        self.name = name
        self.defence = defence
        self.isIntroduced = isIntroduced
        self.play = play
    }

    var testDescription: String { self.name }
}

extension RawExchange {
    /// Checks that the session did what the attack calls for, and that it keeps nothing of a connection that ended.
    func expect(_ attack: Attack, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let reason = self.peer.goAway?.debugText ?? ""
        switch attack.defence {
        case .goAway(let code):
            let sent = self.peer.goAway?.errorCode.map(HTTP2ErrorCode.init(rawValue:))
            #expect(sent == code, "\(reason)", sourceLocation: sourceLocation)
            #expect(self.session.isFinished, sourceLocation: sourceLocation)
            #expect(self.session.endedBy != nil, sourceLocation: sourceLocation)
            let told = self.recorder.events.count
            self.peer.send(.headers(9001, .request()), .ping())
            try self.run()
            #expect(self.recorder.events.count == told, "nothing more is read", sourceLocation: sourceLocation)
        case .reset(let stream, let code):
            #expect(self.peer.goAway == nil, "\(reason)", sourceLocation: sourceLocation)
            let sent = self.peer.resetCode(of: stream).map(HTTP2ErrorCode.init(rawValue:))
            #expect(sent == code, sourceLocation: sourceLocation)
        case .none:
            #expect(self.peer.goAway == nil, "\(reason)", sourceLocation: sourceLocation)
            #expect(self.peer.frames(.resetStream).isEmpty, sourceLocation: sourceLocation)
        }
        #expect(self.recorder.brokenPromises.isEmpty, sourceLocation: sourceLocation)
    }
}
