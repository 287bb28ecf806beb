// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore

/// A client's and a server's session, joined by buffers, and every frame that went between them.
final class SessionPair {
    let client: SessionRecorder
    let server: SessionRecorder
    let clientSession: HTTP2Session
    let serverSession: HTTP2Session
    private(set) var clientFrames: [HTTP2Frame] = []
    private(set) var serverFrames: [HTTP2Frame] = []
    private var clientReader = HTTP2FrameReader()
    private var serverReader = HTTP2FrameReader()
    private var hasPreface = false

    init(
        clientSettings: HTTP2Settings = HTTP2Settings(),
        serverSettings: HTTP2Settings = HTTP2Settings(),
        client clientReaction: @escaping SessionRecorder.Reaction = { _, _ in },
        server serverReaction: @escaping SessionRecorder.Reaction = SessionPair.answer
    ) throws {
        self.client = SessionRecorder(clientReaction)
        self.server = SessionRecorder(serverReaction)
        self.clientSession = try HTTP2Session(role: .client, settings: clientSettings, delegate: self.client)
        self.serverSession = try HTTP2Session(role: .server, settings: serverSettings, delegate: self.server)
    }

    /// A pair that has exchanged settings.
    static func introduced(
        serverSettings: HTTP2Settings = HTTP2Settings(),
        client clientReaction: @escaping SessionRecorder.Reaction = { _, _ in },
        server serverReaction: @escaping SessionRecorder.Reaction = SessionPair.answer
    ) throws -> SessionPair {
        let pair = try SessionPair(serverSettings: serverSettings, client: clientReaction, server: serverReaction)
        try pair.exchange()
        return pair
    }

    /// Answers every request that is complete with 200 and its own body.
    static func answer(_ recorder: SessionRecorder, _ event: SessionEvent) {
        guard let id = event.completedStream, let session = recorder.session, let stream = recorder.streams[id] else {
            return
        }
        try? session.respond(to: stream, body: recorder.bodies[id] ?? [])
    }

    /// Carries bytes to and fro until neither side has anything to say.
    func exchange() throws {
        while try self.clientSpeaks() || self.serverSpeaks() {}
    }

    /// Carries what the client has to say to the server.
    @discardableResult
    func clientSpeaks() throws -> Bool {
        let bytes = try self.clientSession.output()
        self.clientReader.append(bytes)
        if !self.hasPreface { self.hasPreface = self.clientReader.takePreface() }
        self.clientFrames += self.clientReader.frames()
        try self.serverSession.receive(bytes)
        return !bytes.isEmpty
    }

    /// Carries what the server has to say to the client.
    @discardableResult
    func serverSpeaks() throws -> Bool {
        let bytes = try self.serverSession.output()
        self.serverReader.append(bytes)
        self.serverFrames += self.serverReader.frames()
        try self.clientSession.receive(bytes)
        return !bytes.isEmpty
    }

    /// What either session did that no session may do.
    var brokenPromises: [String] { self.client.brokenPromises + self.server.brokenPromises }
}
