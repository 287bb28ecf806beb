// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session
import NIOSSL

/// Keeps what a session tells, does what a test asks on the way, and checks what every session must hold to.
final class SessionRecorder: HTTP2ConnectionDelegate {
    typealias Reaction = (SessionRecorder, SessionEvent) -> Void

    private(set) var events: [SessionEvent] = []
    private(set) var bodies: [Int32: [UInt8]] = [:]
    /// Every stream that the session has told of.
    private(set) var streams: [Int32: HTTP2Stream] = [:]
    private(set) var session: HTTP2Session?
    private(set) var connection: HTTP2Connection?
    private(set) var error: HTTP2SessionError?
    /// Promises that the session has broken: events of closed streams, slots given out twice.
    private(set) var brokenPromises: [String] = []
    private var slots: [Int: Int32] = [:]
    private var hasClosed: Set<Int32> = []
    private let reaction: Reaction
    private let continuation: AsyncStream<SessionEvent>.Continuation?

    init(to continuation: AsyncStream<SessionEvent>.Continuation? = nil, _ reaction: @escaping Reaction = { _, _ in }) {
        self.continuation = continuation
        self.reaction = reaction
    }

    // MARK: What was told

    /// How the streams ended, in order.
    var closings: [SessionEvent] { self.events.filter { $0.closedStream != nil } }

    /// The fields that came on a stream, each as `name: value`.
    func fields(on id: Int32) -> [String] {
        self.events.compactMap { event in
            guard case .field(id, let name, let value) = event else { return nil }
            return "\(name): \(value)"
        }
    }

    private func tell(_ event: SessionEvent, _ session: HTTP2Session? = nil) {
        self.session = session ?? self.session
        self.events.append(event)
        self.continuation?.yield(event)
        self.reaction(self, event)
    }

    private func check(_ stream: HTTP2Stream, _ what: String) {
        self.streams[stream.id] = stream
        // A client's session tells of a stream first when an answer comes or when it closes.
        if let owner = self.slots[stream.slot], owner != stream.id {
            self.brokenPromises.append("\(what) of stream \(stream.id) in slot \(stream.slot) of stream \(owner)")
        }
        if self.hasClosed.contains(stream.id) {
            self.brokenPromises.append("\(what) of the closed stream \(stream.id)")
        }
        self.slots[stream.slot] = stream.id
    }

    // MARK: HTTP2SessionDelegate

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {
        self.check(stream, "headers")
        self.tell(.headersBegan(stream.id), session)
    }

    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    ) {
        self.check(stream, "a field")
        self.tell(.field(stream.id, String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }

    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {
        self.check(stream, "the end of headers")
        self.tell(.headersEnded(stream.id, endStream: endStream), session)
    }

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        self.check(stream, "data")
        self.bodies[stream.id, default: []] += bytes
        self.tell(.data(stream.id, bytes.count), session)
    }

    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {
        self.check(stream, "the end of data")
        self.tell(.dataEnded(stream.id), session)
    }

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {
        self.check(stream, "the end")
        self.hasClosed.insert(stream.id)
        self.tell(.closed(stream.id, code), session)
        self.slots[stream.slot] = nil
    }

    func sessionDidReceiveSettings(_ session: HTTP2Session) {
        self.tell(.settings, session)
    }

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {
        self.tell(.goAway(lastStreamID: lastStreamID, code, String(decoding: debugData, as: UTF8.self)), session)
    }

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {
        self.tell(.pingAcknowledged, session)
    }

    // MARK: HTTP2ConnectionDelegate

    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?) {
        self.connection = connection
        self.tell(.opened, connection.session)
    }

    func connectionDidReadBurst(_ connection: HTTP2Connection) {
        self.tell(.readBurst)
    }

    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?) {
        self.error = error
        self.tell(.connectionClosed(error?.code))
        self.connection = nil
    }
}
