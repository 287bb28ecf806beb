// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import HTTP2Session
import NIOCore

/// A session of either role that is told whatever there is, in pieces, and answers what it can.
///
/// The first byte decides: its lowest bit the role, the next whether the peer introduces itself, the others the size
/// of the pieces.
struct HTTP2Target: FuzzTarget {
    func feed(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let role: HTTP2Session.Role = first & 1 == 0 ? .server : .client
        let owner = Owner(answers: role == .server)
        guard let session = try? HTTP2Session(role: role, delegate: owner) else { return }
        if first & 2 == 0 {
            var peer = RawHTTP2Peer(role == .server ? .client : .server)
            peer.sendHello()
            self.receive(peer.takeOutput(), session)
        }
        if role == .client { for _ in 0..<3 { owner.request(session) } }
        let size = max(1, Int(first >> 2) * 16)
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            self.receive(Array(rest.prefix(size)), session)
            rest = rest.dropFirst(size)
            self.check(session, owner)
        }
    }

    private func receive(_ bytes: [UInt8], _ session: HTTP2Session) {
        try? bytes.withUnsafeBytes { try session.receive($0, now: .uptimeNanoseconds(1)) }
        var output = ByteBuffer()
        while (try? session.write(into: &output, limit: 1 << 16)) == false, output.readableBytes < 1 << 22 {}
    }

    private func check(_ session: HTTP2Session, _ owner: Owner) {
        precondition(owner.brokenPromise == nil, owner.brokenPromise ?? "")
        precondition(session.openStreams >= 0, "open streams below nothing")
        if session.endedBy != nil { precondition(session.isFinished, "ended, and not finished") }
    }
}

/// Answers requests, and notes when the session tells of a stream that it has closed.
private final class Owner: HTTP2SessionDelegate {
    private let answers: Bool
    private var closed: Set<Int32> = []
    private(set) var brokenPromise: String?

    init(answers: Bool) {
        self.answers = answers
    }

    func request(_ session: HTTP2Session) {
        var fields = HTTP2HeaderList()
        fields.append(":method", "POST")
        fields.append(":scheme", "https")
        fields.append(":path", "/")
        fields.append(":authority", "localhost")
        _ = try? session.submitRequest(fields, body: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func answer(_ stream: HTTP2Stream, _ session: HTTP2Session) {
        guard self.answers else { return }
        var fields = HTTP2HeaderList()
        fields.append(":status", "200")
        let body: [UInt8] = [1, 2, 3]
        body.withUnsafeBytes { _ = try? session.submitResponse(on: stream, fields, body: $0) }
    }

    private func check(_ stream: HTTP2Stream, _ what: String) {
        if self.closed.contains(stream.id) { self.brokenPromise = "\(what) of the closed stream \(stream.id)" }
    }

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) { self.check(stream, "headers") }

    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    ) {
        self.check(stream, "a field")
    }

    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {
        self.check(stream, "the end of headers")
        if endStream { self.answer(stream, session) }
    }

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        self.check(stream, "data")
    }

    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {
        self.check(stream, "the end of data")
        self.answer(stream, session)
    }

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {
        self.check(stream, "the end")
        self.closed.insert(stream.id)
    }

    func sessionDidReceiveSettings(_ session: HTTP2Session) {}

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {}

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {}
}
