// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import NIOCore
import NIOSSL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One provider connection: collects requests, passes them to the core, and sends the responses.
///
/// Not thread-safe: it belongs to its connection's event loop.
final class ProviderConnection: HTTP2ConnectionDelegate {
    /// The response to a larger body is sent immediately, without waiting for its end.
    private static let earlyAnswerBody = 64 * 1024
    /// The stream of a larger body is reset.
    private static let maximumBody = 1024 * 1024

    let core: SimulatorCore
    private let service: ProviderService
    let answers = ResponseWriter()
    /// The connection's ID, once it is registered.
    var id = 0
    var trust = ConnectionAuthentication()
    /// The stream limit and the error points.
    private(set) var standing: ConnectionThrottle
    /// When the latest request came, in seconds since 1970.
    private(set) var activeAt: Double
    private let openedAt: Double
    private(set) var connection: HTTP2Connection?
    /// The state of its streams, by their slots.
    private(set) var streams: [ProviderStream] = []
    /// The last stream that is served; later ones came after GOAWAY.
    var lastStreamID = Int32.max
    /// The latest stream whose request came in whole and was looked at; one that began earlier may come in later.
    private(set) var lastHandledStreamID: Int32 = 0
    /// The reason of the GOAWAY that was or will be sent.
    private var departure: RejectionReason?
    /// Whether the connection is cut, or will be when it is open.
    private var isCut = false
    /// The time of the burst of input being read.
    private var burst: Double?
    private var random = SplitMix64(seed: .random(in: .min ... .max))

    init(core: SimulatorCore, service: ProviderService = .pushes, settings: HTTP2Settings) {
        self.core = core
        self.service = service
        self.openedAt = core.now
        self.activeAt = self.openedAt
        self.standing = ConnectionThrottle(
            initial: settings.maximumConcurrentStreams ?? core.configuration.maximumConcurrentStreams,
            maximum: core.configuration.maximumConcurrentStreams
        )
    }

    // MARK: The connection

    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?) {
        self.connection = connection
        if let peerCertificate {
            let der = (try? peerCertificate.toDERBytes()) ?? []
            self.trust = ConnectionAuthentication(certificate: CertificateTrust(der: der))
            if let session = connection.session { self.perform(self.standing.trusted(), in: session) }
        }
        if let reason = self.departure { self.sayGoAway(reason) }
        if self.isCut { connection.close() }
    }

    func connectionDidReadBurst(_ connection: HTTP2Connection) {
        self.burst = nil
    }

    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?) {
        self.connection = nil
        self.core.connections.remove(self)
    }

    /// Sends the provider a GOAWAY with the reason in JSON; open streams still get their responses.
    ///
    /// During the handshake, the GOAWAY is sent after it. Only the first call has an effect.
    func goAway(_ reason: RejectionReason) {
        guard self.departure == nil else { return }
        self.departure = reason
        self.sayGoAway(reason)
    }

    private func sayGoAway(_ reason: RejectionReason) {
        guard let connection = self.connection, let session = connection.session else { return }
        session.submitGoAway(debugData: Rejection(reason).body)
        connection.flush()
    }

    /// Sends the provider a GOAWAY, or closes the connection without a reason.
    func end(_ reason: RejectionReason?) {
        if let reason { return self.goAway(reason) }
        self.isCut = true
        self.connection?.close()
    }

    /// Whether all open requests wait for a held response.
    var isIdle: Bool { self.connection?.session?.openStreams ?? 0 <= self.heldAnswers }

    var info: ProviderConnectionInfo {
        ProviderConnectionInfo(
            id: self.id,
            trust: self.trust.info,
            remoteAddress: self.connection?.remoteAddress?.description,
            grantedStreams: Int(self.standing.granted),
            openStreams: self.connection?.session?.openStreams ?? 0,
            successes: self.standing.successes,
            errors: self.standing.errors,
            badDeviceTokens: self.standing.badDeviceTokens,
            gone: self.standing.gone,
            points: self.standing.points,
            openedAt: Date(timeIntervalSince1970: self.openedAt),
            activeAt: Date(timeIntervalSince1970: self.activeAt)
        )
    }

    private func perform(_ action: ConnectionThrottle.Action?, in session: HTTP2Session) {
        switch action {
        case nil: break
        case .grant(let streams): session.submitSettings(maximumConcurrentStreams: streams)
        case .goAway(let reason): self.goAway(reason)
        }
    }

    // MARK: Requests

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {
        while self.streams.count <= stream.slot { self.streams.append(ProviderStream()) }
        self.streams[stream.slot].begin()
        self.streams[stream.slot].request.streamID = stream.id
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

    // MARK: Responses

    private func handle(_ stream: HTTP2Stream, in session: HTTP2Session) {
        guard stream.id <= self.lastStreamID else { return }
        let state = self.streams[stream.slot]
        state.isHandled = true
        self.lastHandledStreamID = max(self.lastHandledStreamID, stream.id)
        let now = self.burst ?? self.core.now
        self.burst = now
        self.activeAt = now
        let facts = ParsedRequestHeaders(state.request, switches: self.core.configuration.switches)
        let apnsID = facts.apnsID.value ?? .random(using: &self.random)
        let isChannelRequest = self.service != .pushes || ChannelPath.isBroadcast(state.request.value(.path))
        let handling =
            isChannelRequest
            ? self.core.handleChannels(state.request, self.service, trust: &self.trust, now: now)
            : self.core.handle(state.request, facts, trust: &self.trust, apnsID: apnsID, now: now)
        if let fault = handling.fault {
            self.play(fault, hold: handling.hold, on: stream, in: session, verdict: handling.verdict, apnsID: apnsID)
        } else if let verdict = handling.verdict {
            self.answer(stream, in: session, verdict: verdict, apnsID: apnsID)
        }
    }

    /// Sends the response with the result of the rules.
    ///
    /// Successes raise the stream limit, and refusals reduce it.
    func answer(_ stream: HTTP2Stream, in session: HTTP2Session, verdict: Verdict, apnsID: APNsID) {
        let switches = self.core.configuration.switches
        switch verdict {
        case .accepted:
            let isSandbox = self.core.configuration.environment == .sandbox
            let uniqueID: APNsID? = isSandbox ? .random(using: &self.random) : nil
            self.answers.accept(stream, in: session, apnsID: apnsID, uniqueID: uniqueID)
            self.perform(self.standing.succeeded(switches.connections), in: session)
        case .rejected(let rejection):
            self.answers.reject(stream, in: session, apnsID: apnsID, rejection: rejection)
            self.note(rejection, in: session)
        case .answered(let answer):
            ChannelResponseWriter.write(answer, on: stream, in: session)
            guard let rejection = answer.rejection else {
                return self.perform(self.standing.succeeded(switches.connections), in: session)
            }
            self.note(rejection, in: session)
        }
    }

    private func note(_ rejection: Rejection, in session: HTTP2Session) {
        let switches = self.core.configuration.switches
        self.perform(self.standing.failed(rejection, switches.connections), in: session)
        if switches.streamGrant == .authentication, self.trust.token != nil {
            self.perform(self.standing.authenticated(switches.connections), in: session)
        }
    }

    /// Which use of its slot the stream is.
    func generation(of stream: HTTP2Stream) -> UInt64 { self.streams[stream.slot].generation }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension ProviderConnection: Sendable {}

/// Actions of a fault that matches a request.
extension ProviderConnection {
    func play(
        _ fault: SimulatorFault.Action,
        hold: ResponseHold?,
        on stream: HTTP2Stream,
        in session: HTTP2Session,
        verdict: Verdict?,
        apnsID: APNsID
    ) {
        switch fault {
        case .reject(let rejection):
            self.answers.reject(stream, in: session, apnsID: apnsID, rejection: rejection)
        case .garble(let rejection, let body):
            self.answers.reject(stream, in: session, apnsID: apnsID, rejection: rejection, body: body)
        case .settings(let change):
            session.submitSettings(
                maximumConcurrentStreams: change.maximumConcurrentStreams,
                initialWindowSize: change.initialWindowSize
            )
            if let verdict { self.answer(stream, in: session, verdict: verdict, apnsID: apnsID) }
        case .delay(let duration):
            if let verdict { self.answer(stream, after: duration, verdict: verdict, apnsID: apnsID) }
        case .hold:
            if let verdict, let hold {
                self.hold(HeldResponse(hold: hold, stream: stream, verdict: verdict, apnsID: apnsID))
            }
        case .goAway(let reason, let code, let chosen):
            let last = chosen ?? self.lastStreamID(refusing: stream)
            self.lastStreamID = min(self.lastStreamID, last)
            session.submitGoAway(lastStreamID: last, code: code, debugData: Rejection(reason).body)
            guard stream.id <= last else { break }
            if chosen == nil {
                session.reset(stream, code: .refusedStream)
            } else if let verdict {
                self.answer(stream, in: session, verdict: verdict, apnsID: apnsID)
            }
        case .reset(let code):
            session.reset(stream, code: code)
        case .drop:
            self.lastStreamID = 0
            self.connection?.close()
        case .silence, .latency, .connection, .unreachable:
            // A latency has become a delay by now, and the others do not concern requests.
            break
        }
    }

    /// The last stream ID of a GOAWAY that refuses one request.
    ///
    /// The client may retry the streams above it. So it is the stream before the request's, unless a later one arrived
    /// earlier and is served; then the request alone is refused.
    private func lastStreamID(refusing stream: HTTP2Stream) -> Int32 {
        self.lastHandledStreamID > stream.id ? self.lastHandledStreamID : max(0, stream.id - 2)
    }

    private func answer(_ stream: HTTP2Stream, after duration: Duration, verdict: Verdict, apnsID: APNsID) {
        guard let connection = self.connection, let eventLoop = connection.eventLoop else { return }
        let generation = self.generation(of: stream)
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
            guard let session = connection.session, self.generation(of: stream) == generation else { return }
            self.answer(stream, in: session, verdict: verdict, apnsID: apnsID)
            connection.scheduleFlush()
        }
    }
}

/// Responses that are held until a fault is removed.
///
/// Each is stored with its stream and removed when the stream closes, so a cancelled request leaves no state.
extension ProviderConnection {
    /// Holds a response.
    ///
    /// A concurrent removal of the fault releases it too: the removal visits this event loop afterwards.
    func hold(_ answer: HeldResponse) {
        self.streams[answer.stream.slot].held = answer
    }

    /// Sends the responses whose faults were removed, in the order of their streams.
    func answerReleased() {
        guard let connection = self.connection, let session = connection.session else { return }
        let released = self.streams.compactMap(\.held).filter(\.hold.isReleased).sorted { $0.stream.id < $1.stream.id }
        guard !released.isEmpty else { return }
        for answer in released {
            self.streams[answer.stream.slot].held = nil
            self.answer(answer.stream, in: session, verdict: answer.verdict, apnsID: answer.apnsID)
        }
        connection.scheduleFlush()
    }

    var heldAnswers: Int { self.streams.count { $0.held != nil } }
}

/// A response that is held until its fault is removed.
struct HeldResponse {
    let hold: ResponseHold
    let stream: HTTP2Stream
    let verdict: Verdict
    let apnsID: APNsID
}

/// The state of one open stream; reused for the next stream of the slot.
final class ProviderStream {
    let request = RequestHead()
    /// The use count of the slot: a held response is not sent on a later stream.
    private(set) var generation: UInt64 = 0
    /// Whether the request was processed by the rules; the rest of its body is ignored.
    var isHandled = false
    /// The response, while a fault holds it.
    var held: HeldResponse?

    /// Resets the slot for its next stream.
    func begin() {
        self.generation += 1
        self.isHandled = false
        self.held = nil
        self.request.reset()
    }
}
