// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting

/// One connection of a ``PuppetServer``: says what its script tells it to, and keeps no rule.
struct Puppet {
    /// Which connection of the server's this is; 1 for the first.
    let number: Int
    var peer = RawHTTP2Peer(.server)
    /// Requests that came in whole and have no answer yet, with their bodies.
    private(set) var open: [(stream: UInt32, body: String)] = []
    private(set) var isClosing = false
    /// Whether every request is accepted as it comes.
    var accepts = false
    private var bodies: [UInt32: [UInt8]] = [:]

    init(number: Int) {
        self.number = number
    }

    /// Announces settings, as an honest server does first.
    mutating func hello(streams: UInt32) {
        self.peer.sendHello([0x3: streams])
    }

    /// Answers a request.
    mutating func answer(_ stream: UInt32, status: String, body: String) {
        self.peer.send(
            .headers(stream, .response(status), endStream: false),
            .data(stream, Array(body.utf8), endStream: true)
        )
        self.open.removeAll { $0.stream == stream }
    }

    /// Refuses a request before looking at it.
    mutating func refuse(_ stream: UInt32) {
        self.peer.send(.reset(stream, code: 0x7))
        self.open.removeAll { $0.stream == stream }
    }

    /// Accepts every request that has no answer yet.
    mutating func acceptAll() {
        for request in self.open { self.peer.send(.headers(request.stream, .response())) }
        self.open = []
    }

    /// Cuts the connection after what was said last.
    mutating func close() {
        self.isClosing = true
    }

    /// Takes in bytes.
    ///
    /// Answers the frames in them that a script wants to know of.
    mutating func receive(_ bytes: some Collection<UInt8>) -> [PuppetEvent] {
        let known = self.peer.received.count
        self.peer.receive(bytes)
        return self.peer.received[known...].compactMap { self.event($0) }
    }

    private mutating func event(_ frame: HTTP2Frame) -> PuppetEvent? {
        if frame.kind == .data {
            self.bodies[frame.streamID, default: []] += frame.payload
            guard frame.endsStream else { return nil }
            let body = String(decoding: self.bodies.removeValue(forKey: frame.streamID) ?? [], as: UTF8.self)
            self.open.append((frame.streamID, body))
            if self.accepts { self.acceptAll() }
            return .request(frame.streamID, body: body)
        }
        guard frame.kind == .ping else { return nil }
        return frame.flags.contains(.acknowledgement) ? .pong : .ping
    }
}

/// What happens to a puppet.
enum PuppetEvent: Sendable, Hashable {
    /// TCP is connected.
    case connected
    /// A request came in whole.
    case request(UInt32, body: String)
    /// The client asks for a sign of life.
    case ping
    /// The client gives a sign of life.
    case pong

    /// The stream of a request.
    var stream: UInt32? { if case .request(let stream, _) = self { stream } else { nil } }

    /// The text of a request's alert.
    func isRequest(saying text: String) -> Bool {
        if case .request(_, let body) = self { body.contains("\"\(text)\"") } else { false }
    }
}
