// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One side of an HTTP/2 connection that says exactly what a test tells it to, and keeps every frame it hears.
///
/// It does no I/O and keeps no rule: ``takeOutput()`` goes to the other side, what comes back goes into ``receive(_:)``.
public struct RawHTTP2Peer: Sendable {
    /// Which side the peer plays.
    public enum Role: Sendable {
        /// Begins with the preface.
        case client
        /// Begins with SETTINGS.
        case server
    }

    /// Which side the peer plays.
    public let role: Role
    /// Every frame that has come, in order.
    public private(set) var received: [HTTP2Frame] = []
    private var output: [UInt8] = []
    private var reader = HTTP2FrameReader()
    private var awaitsPreface: Bool

    /// A peer that has said nothing yet.
    public init(_ role: Role) {
        self.role = role
        self.awaitsPreface = role == .server
    }

    // MARK: Sending

    /// Says bytes as they are.
    public mutating func send(bytes: some Sequence<UInt8>) {
        self.output += bytes
    }

    /// Says frames.
    public mutating func send(_ frames: HTTP2Frame...) {
        for frame in frames { self.output += frame.bytes }
    }

    /// Opens the connection as an honest peer: preface where it is a client, SETTINGS, and their acknowledgement.
    public mutating func sendHello(_ settings: KeyValuePairs<UInt16, UInt32> = [:]) {
        if self.role == .client { self.output += HTTP2Frame.clientPreface }
        self.send(.settings(settings), .settingsAcknowledgement)
    }

    /// Hands out what is to go to the other side.
    public mutating func takeOutput() -> [UInt8] {
        defer { self.output.removeAll() }
        return self.output
    }

    // MARK: Receiving

    /// Takes in what the other side said.
    public mutating func receive(_ bytes: some Collection<UInt8>) {
        self.reader.append(bytes)
        if self.awaitsPreface {
            guard self.reader.unreadBytes >= HTTP2Frame.clientPreface.count else { return }
            guard self.reader.takePreface() else { return }
            self.awaitsPreface = false
        }
        self.received += self.reader.frames()
    }

    /// The frames of one kind that have come, in order.
    public func frames(_ kind: HTTP2Frame.Kind) -> [HTTP2Frame] { self.received.filter { $0.kind == kind } }

    /// The frames on one stream that have come, in order.
    public func frames(on stream: UInt32) -> [HTTP2Frame] { self.received.filter { $0.streamID == stream } }

    /// The GOAWAY that has come, the last one where there are several.
    public var goAway: HTTP2Frame? { self.frames(.goAway).last }

    /// The error code with which the other side reset a stream.
    public func resetCode(of stream: UInt32) -> UInt32? {
        self.received.last { $0.kind == .resetStream && $0.streamID == stream }?.errorCode
    }

    /// The settings that the other side announced, later ones over earlier ones.
    public var settings: [UInt16: UInt32] {
        self.frames(.settings).reduce(into: [:]) { all, frame in
            all.merge(frame.settings ?? [:]) { _, later in later }
        }
    }
}
