// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import NIOCore
import NIOSSL

/// One provider's connection: gathers requests, asks the core about each, and answers.
///
/// Not thread-safe: it belongs to its connection's event loop.
final class ProviderConnection: HTTP2ConnectionDelegate {
    /// A body of more than this is answered at once, whatever still comes.
    private static let earlyAnswerBody = 64 * 1024
    /// A peer that goes on after that has its stream reset.
    private static let maximumBody = 1024 * 1024

    let core: SimulatorCore
    let answers = AnswerWriter()
    var trust = ConnectionTrust()
    private(set) var connection: HTTP2Connection?
    private var streams: [ProviderStream] = []
    /// The last stream that is served; later ones came after GOAWAY.
    var lastStreamID = Int32.max
    private var hasAllStreams = false
    /// Why the provider was told to go away, or will be.
    private var departure: RejectionReason?
    /// The time of the burst of input being read.
    private var burst: Double?
    private var random = SplitMix64(seed: .random(in: .min ... .max))

    init(core: SimulatorCore) {
        self.core = core
    }

    // MARK: The connection

    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?) {
        self.connection = connection
        if let peerCertificate {
            let der = (try? peerCertificate.toDERBytes()) ?? []
            self.trust = ConnectionTrust(certificate: CertificateTrust(der: der))
            self.grantAllStreams(connection.session)
        }
        if let reason = self.departure { self.goAway(reason) }
    }

    func connectionDidReadBurst(_ connection: HTTP2Connection) {
        self.burst = nil
    }

    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?) {
        self.connection = nil
        self.core.connections.remove(self)
    }

    /// Tells the provider to go away, with the reason in JSON; streams that are open are answered.
    ///
    /// A connection that is still in its handshake is told once that is over.
    func goAway(_ reason: RejectionReason) {
        self.departure = reason
        guard let connection = self.connection, let session = connection.session else { return }
        session.submitGoAway(debugData: Rejection(reason).body)
        connection.flush()
    }

    private func grantAllStreams(_ session: HTTP2Session?) {
        guard !self.hasAllStreams, let session else { return }
        self.hasAllStreams = true
        session.submitSettings(maximumConcurrentStreams: self.core.configuration.maximumConcurrentStreams)
    }

    // MARK: Requests

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {
        while self.streams.count <= stream.slot { self.streams.append(ProviderStream()) }
        self.streams[stream.slot].begin()
    }

    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    ) {
        guard let field = RequestField(name) else { return }
        self.streams[stream.slot].request.append(field, value: value)
    }

    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {
        if endStream { self.handle(stream, in: session) }
    }

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        let state = self.streams[stream.slot]
        state.request.appendBody(bytes)
        guard state.request.bodyCount > Self.earlyAnswerBody else { return }
        if !state.isHandled { self.handle(stream, in: session) }
        if state.request.bodyCount > Self.maximumBody { session.reset(stream, code: .enhanceYourCalm) }
    }

    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {
        if !self.streams[stream.slot].isHandled { self.handle(stream, in: session) }
    }

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {
        self.streams[stream.slot].begin()
    }

    func sessionDidReceiveSettings(_ session: HTTP2Session) {}

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {}

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {}

    // MARK: Answers

    private func handle(_ stream: HTTP2Stream, in session: HTTP2Session) {
        guard stream.id <= self.lastStreamID else { return }
        let state = self.streams[stream.slot]
        state.isHandled = true
        let now = self.burst ?? self.core.now
        self.burst = now
        let facts = RequestFacts(state.request, switches: self.core.configuration.switches)
        let apnsID = facts.apnsID.value ?? .random(using: &self.random)
        let handling = self.core.handle(state.request, facts, trust: &self.trust, apnsID: apnsID, now: now)
        if let fault = handling.fault {
            self.play(fault, on: stream, in: session, verdict: handling.verdict, apnsID: apnsID)
        } else if let verdict = handling.verdict {
            self.answer(stream, in: session, verdict: verdict, apnsID: apnsID)
        }
    }

    /// Answers as the rules say.
    ///
    /// The first success opens all streams.
    func answer(_ stream: HTTP2Stream, in session: HTTP2Session, verdict: Verdict, apnsID: APNsID) {
        switch verdict {
        case .accepted:
            self.grantAllStreams(session)
            let isSandbox = self.core.configuration.environment == .sandbox
            let uniqueID: APNsID? = isSandbox ? .random(using: &self.random) : nil
            self.answers.accept(stream, in: session, apnsID: apnsID, uniqueID: uniqueID)
        case .rejected(let rejection):
            if self.core.configuration.switches.streamGrant == .authentication, self.trust.token != nil {
                self.grantAllStreams(session)
            }
            self.answers.reject(stream, in: session, apnsID: apnsID, rejection: rejection)
        }
    }

    /// Which use of its slot the stream is.
    func generation(of stream: HTTP2Stream) -> UInt64 { self.streams[stream.slot].generation }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension ProviderConnection: Sendable {}
