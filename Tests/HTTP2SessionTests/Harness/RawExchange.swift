// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore

/// A session face to face with a peer that keeps no rule.
final class RawExchange {
    /// How many bytes a session gets at once, as from a socket.
    private static let piece = 64 * 1024

    var peer: RawHTTP2Peer
    let recorder: SessionRecorder
    let session: HTTP2Session
    var now = NIODeadline.uptimeNanoseconds(1)

    init(
        _ role: HTTP2Session.Role,
        settings: HTTP2Settings = HTTP2Settings(),
        limits: HTTP2Limits = HTTP2Limits(),
        _ reaction: @escaping SessionRecorder.Reaction = { _, _ in }
    ) throws {
        self.peer = RawHTTP2Peer(role == .server ? .client : .server)
        self.recorder = SessionRecorder(reaction)
        self.session = try HTTP2Session(role: role, settings: settings, limits: limits, delegate: self.recorder)
    }

    /// A server session whose raw client has introduced itself.
    static func server(
        settings: HTTP2Settings = HTTP2Settings(),
        limits: HTTP2Limits = HTTP2Limits(),
        _ reaction: @escaping SessionRecorder.Reaction = SessionPair.answer
    ) throws -> RawExchange {
        let exchange = try RawExchange(.server, settings: settings, limits: limits, reaction)
        exchange.peer.sendHello()
        try exchange.run()
        return exchange
    }

    /// A client session whose raw server has introduced itself.
    static func client(
        limits: HTTP2Limits = HTTP2Limits(),
        settings: KeyValuePairs<UInt16, UInt32> = [0x3: 100],
        _ reaction: @escaping SessionRecorder.Reaction = { _, _ in }
    ) throws -> RawExchange {
        let exchange = try RawExchange(.client, limits: limits, reaction)
        exchange.peer.sendHello(settings)
        try exchange.run()
        return exchange
    }

    /// Gives the session what the peer said, piece by piece, and the peer what the session answers.
    func run() throws {
        var bytes = self.peer.takeOutput()[...]
        repeat {
            try self.session.receive(Array(bytes.prefix(Self.piece)), at: self.now)
            bytes = bytes.dropFirst(Self.piece)
            try self.hear()
        } while !bytes.isEmpty
    }

    /// Gives the session what the peer said; its answers wait, as for a peer that does not read.
    func speak() throws {
        try self.session.receive(self.peer.takeOutput(), at: self.now)
    }

    /// Gives the peer what the session has to say.
    func hear() throws {
        self.peer.receive(try self.session.output())
    }
}
