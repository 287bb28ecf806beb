// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import Testing

/// A clause of RFC 9113 or RFC 7541: what a client does, and every reaction of a server that the clause allows.
///
/// Nothing here depends on how a server is made. Which of the reactions this server picks is the matter of ``Attack``.
struct Clause: Sendable, CustomTestStringConvertible {
    /// What came of it.
    enum Reaction: Sendable, Equatable {
        /// The connection ended with GOAWAY and this code.
        case connectionError(HTTP2ErrorCode)
        /// A stream ended with RST_STREAM and this code; the connection lives.
        case streamError(UInt32, HTTP2ErrorCode)
        /// No error at all.
        case tolerated
    }

    let section: String
    /// The promise.
    let name: String
    let allowed: [Reaction]
    /// Requests that have to be answered all the same.
    let served: [UInt32]
    /// Whether the server answers a request as soon as it is complete; otherwise its streams stay half-closed.
    let isAnswered: Bool
    /// What the client says, and hears the answers to, beforehand.
    let preamble: [HTTP2Frame]
    /// Whether the client itself takes its leave, so that the connection need not go on.
    let isFarewell: Bool
    let play: @Sendable (inout RawHTTP2Peer) -> Void

    init(
        _ section: String,
        _ name: String,
        _ allowed: [Reaction],
        serving served: [UInt32] = [],
        isAnswered: Bool = true,
        after preamble: [HTTP2Frame] = [],
        isFarewell: Bool = false,
        _ play: @escaping @Sendable (inout RawHTTP2Peer) -> Void
    ) {
        self.section = section
        self.name = name
        self.allowed = allowed
        self.served = served
        self.isAnswered = isAnswered
        self.preamble = preamble
        self.isFarewell = isFarewell
        self.play = play
    }

    var testDescription: String { "\(self.section): \(self.name)" }
}

extension [Clause.Reaction] {
    /// The connection has to end with one of these codes.
    static func connection(_ codes: HTTP2ErrorCode...) -> Self { codes.map { .connectionError($0) } }

    /// The stream has to end with one of these codes; ending the connection for it is allowed (section 5.4.1).
    static func stream(_ id: UInt32, _ codes: HTTP2ErrorCode...) -> Self {
        codes.flatMap { [.streamError(id, $0), .connectionError($0)] }
    }

    /// There is nothing wrong with it.
    static let tolerated: Self = [.tolerated]

    /// A frame on a stream that both sides have done with: to be ignored, or an error of this code (section 5.1).
    static func closed(_ id: UInt32) -> Self { .stream(id, .streamClosed) + [.tolerated] }
}

extension RawExchange {
    /// How the session has reacted so far.
    var reaction: Clause.Reaction {
        if let code = self.peer.goAway?.errorCode, code != 0 { return .connectionError(HTTP2ErrorCode(rawValue: code)) }
        if let reset = self.peer.frames(.resetStream).first, let code = reset.errorCode {
            return .streamError(reset.streamID, HTTP2ErrorCode(rawValue: code))
        }
        return .tolerated
    }
}
