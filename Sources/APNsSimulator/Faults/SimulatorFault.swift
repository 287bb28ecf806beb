// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import HTTP2Session

/// An injected fault: a filter for requests or connections, its times and count, and the action.
public struct SimulatorFault: Sendable, Hashable {
    /// The action on a matched request or connection.
    public enum Action: Sendable, Hashable {
        /// The response is this rejection; no rule is evaluated.
        case reject(Rejection)
        /// The same with a body that is not Apple's.
        case garble(Rejection, ErrorBody)
        /// The rules are applied immediately, and the response is delayed by this time.
        case delay(Duration)
        /// The same for as long as the dice say.
        case latency(LatencyDistribution)
        /// The rules are applied immediately, and the response is held until the fault is removed.
        ///
        /// This holds for every matched request, also after the last one: a connection sends its responses in the order
        /// of their streams. If the connection or the simulator ends first, a held response is never sent.
        case hold
        /// The connection is sent a GOAWAY with `{"reason":…}`; the request and later ones are not processed.
        ///
        /// `lastStreamID` is the last stream that still gets a response; `nil` is the stream before the request's. If a
        /// later stream was processed before, `nil` is that stream, and the request alone is refused.
        case goAway(reason: RejectionReason, code: HTTP2ErrorCode, lastStreamID: Int32?)
        /// The connection's SETTINGS change; the request is served.
        case settings(SettingsOverride)
        /// The stream is reset.
        case reset(HTTP2ErrorCode)
        /// The connection is cut without a word.
        case drop
        /// No response is sent.
        case silence
        /// A connection goes wrong from its beginning.
        case connection(ConnectionFault)
        /// The provider port is closed: connections to it are refused.
        case unreachable
    }

    /// Which requests may be struck.
    ///
    /// Every condition has to hold; without any, all requests do. Connections are not looked at.
    public struct Match: Sendable, Hashable {
        /// The device token in the path, in hexadecimal, upper or lower case.
        public var token: String?
        /// The app of the topic, with any suffix of a push type.
        ///
        /// A request without a topic uses that of its certificate; broadcasts and channel management name the app in
        /// the path.
        public var bundleID: String?

        /// Conditions; `nil` is none.
        public init(token: String? = nil, bundleID: String? = nil) {
            self.token = token
            self.bundleID = bundleID
        }
    }

    /// When a fault can strike, counted from its injection on the simulator's clock.
    public struct Window: Sendable, Hashable {
        /// Unit: seconds.
        ///
        /// Default: 0.
        public var from: Double
        /// Unit: seconds.
        ///
        /// Default: `nil`, without end.
        public var until: Double?

        /// A window that is always open, or a part of the time.
        public init(from: Double = 0, until: Double? = nil) {
            self.from = from
            self.until = until
        }
    }

    /// The action.
    public var action: Action
    /// Which requests may be struck.
    public var match: Match
    /// When it can strike.
    public var window = Window()
    /// How many requests or connections that match are let pass before the first is struck.
    ///
    /// Default: 0.
    public var skip = 0
    /// How many are struck before the fault is spent; `nil` never spends it.
    ///
    /// Default: `nil`.
    public var count: Int?
    /// The share of those that match that is struck.
    ///
    /// Range: 0...1. Default: 1.
    public var rate: Double
    /// The random seed: the same seed matches the same requests again.
    ///
    /// Default: `nil`, which uses the script's seed, or 0.
    public var seed: UInt64?
    /// Whether a request without a response is delivered: only its response is lost.
    ///
    /// Default: `false`. A request whose response is delayed or held is always delivered; a rejected one never.
    public var deliversFirst: Bool

    /// A fault.
    public init(
        _ action: Action,
        match: Match = Match(),
        window: Window = Window(),
        skip: Int = 0,
        count: Int? = nil,
        rate: Double = 1,
        seed: UInt64? = nil,
        deliversFirst: Bool = false
    ) {
        self.action = action
        self.match = match
        self.window = window
        self.skip = skip
        self.count = count
        self.rate = rate
        self.seed = seed
        self.deliversFirst = deliversFirst
    }
}

extension SimulatorFault {
    /// The point in time at which faults are matched.
    enum Occasion {
        case request
        case connection
        case listening
    }

    var occasion: Occasion {
        switch self.action {
        case .connection: .connection
        case .unreachable: .listening
        default: .request
        }
    }

    /// Whether a request that is struck can be delivered.
    var mayDeliver: Bool {
        switch self.action {
        case .reject, .garble, .connection, .unreachable: false
        case .delay, .latency, .hold, .settings, .goAway, .reset, .drop, .silence: true
        }
    }

    /// Whether the rules are asked and the notification is delivered although the fault strikes.
    var processesRequest: Bool {
        switch self.action {
        case .delay, .latency, .hold, .settings: true
        case .reject, .garble, .connection, .unreachable: false
        case .goAway, .reset, .drop, .silence: self.deliversFirst
        }
    }
}

/// The difference between the body of an error response and Apple's `{"reason":…}`.
public struct ErrorBody: Sendable, Hashable {
    /// The replacement, JSON or not; `nil` keeps Apple's.
    public var text: String?
    /// The length to which it is padded with spaces; `nil` for none.
    ///
    /// Unit: bytes. Range: 0...1,048,576.
    public var size: Int?
    /// The most bytes in one DATA frame; `nil` uses as few frames as possible.
    public var frameSize: Int?

    /// The body of an error response; by default Apple's.
    public init(text: String? = nil, size: Int? = nil, frameSize: Int? = nil) {
        self.text = text
        self.size = size
        self.frameSize = frameSize
    }

    func bytes(for rejection: Rejection) -> [UInt8] {
        var bytes = self.text.map { Array($0.utf8) } ?? rejection.body
        if let size = self.size, size > bytes.count {
            bytes += [UInt8](repeating: UInt8(ascii: " "), count: size - bytes.count)
        }
        return bytes
    }
}

/// A failure of a connection from its start.
public enum ConnectionFault: Sendable, Hashable {
    /// It is reset as soon as it was accepted.
    case refuse
    /// The server says nothing for a while, not even in the TLS handshake.
    case slowAccept(LatencyDistribution)
    /// TLS is not as it should be.
    case tls(TLSFault)
    /// The first frame is GOAWAY instead of SETTINGS, and the connection is closed after it.
    case goAwayFirst(reason: RejectionReason, code: HTTP2ErrorCode, lastStreamID: Int32)
    /// The first SETTINGS are others: one stream, a tiny window.
    case settings(SettingsOverride)
    /// It breaks in the middle.
    case cut(ConnectionCut)
    /// Everything that the server says is held back this long, in order: an injected round trip.
    ///
    /// It is drawn once for each connection.
    case roundTrip(LatencyDistribution)
    /// The server's bytes come in pieces of this many.
    case fragments(Int)
}

/// A cut of a connection after a number of bytes in one direction.
public struct ConnectionCut: Sendable, Hashable {
    /// Whose bytes are counted.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        /// The client's.
        case input
        /// The server's.
        case output
    }

    /// On which side of TLS they are counted.
    public enum Layer: String, Sendable, Hashable, CaseIterable {
        /// HTTP/2 in the clear: the handshake does not count.
        case http2
        /// The bytes of the socket, with the handshake.
        case socket
    }

    /// Whose bytes are counted.
    public var direction: Direction
    /// On which side of TLS they are counted.
    public var layer: Layer
    /// How many bytes still pass.
    public var bytes: Int
    /// Whether the socket is reset and not closed.
    public var resets: Bool

    /// A break after `bytes`.
    public init(after bytes: Int, of direction: Direction, layer: Layer = .http2, resets: Bool = false) {
        self.direction = direction
        self.layer = layer
        self.bytes = bytes
        self.resets = resets
    }
}

/// SETTINGS of HTTP/2 other than the usual ones.
public struct SettingsOverride: Sendable, Hashable {
    /// How many streams the client may have open at once; `nil` leaves it as it is.
    public var maximumConcurrentStreams: UInt32?
    /// The window of each stream; `nil` leaves it as it is.
    ///
    /// Unit: bytes. Range: 0...2^31-1.
    public var initialWindowSize: UInt32?

    /// A change of either or both.
    public init(maximumConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil) {
        self.maximumConcurrentStreams = maximumConcurrentStreams
        self.initialWindowSize = initialWindowSize
    }
}

/// A TLS failure of a connection.
public enum TLSFault: String, Sendable, Hashable, CaseIterable {
    /// The server's certificate has expired.
    case expiredCertificate
    /// The server's certificate is for another name.
    case wrongName
    /// The issuer of the server's certificate is not trusted.
    case untrustedCertificate
    /// The connection is cut when the client has begun its handshake.
    case cutHandshake
    /// The server agrees on no application protocol.
    case noALPN
    /// The server offers `http/1.1` only.
    case http1ALPN
    /// The server speaks TLS 1.1 and nothing newer.
    case tls11
    /// The server speaks TLS 1.2 and nothing newer.
    case tls12
}
