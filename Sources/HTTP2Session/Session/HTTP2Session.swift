// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import NIOCore

/// The state of one HTTP/2 connection, client or server, without I/O: bytes in, bytes out, events to a delegate.
///
/// It implements the parts of RFC 9113 that a server and a client without server push need, with limits against hostile
/// peers and with streams in dense slots. Not thread-safe: it belongs to one event loop. A request allocates nothing.
///
/// Input takes effect in ``receive(_:now:)``; output is encoded in ``write(into:limit:)`` and not before, so that a
/// message that is reset until then is never sent.
public final class HTTP2Session {
    /// Which side of the connection a session is.
    public enum Role: Sendable {
        /// Opens streams.
        case client
        /// Answers on streams that the peer opens.
        case server
    }

    public let role: Role
    let limits: HTTP2Limits
    /// The maximum size of an accepted header list: twice the announced one, which is only advice for the peer.
    let maximumHeaderListSize: Int
    /// Not retained: an owner outlives its session, since it stops calling the session before it goes.
    unowned(unsafe) let delegate: any HTTP2SessionDelegate

    // No part below calls another or the delegate while it changes itself, so that no access overlaps another;
    // checking that at run time would cost a notification as much as its framing does.
    @exclusivity(unchecked) var reader: FrameReader
    @exclusivity(unchecked) var decoder = HPACKDecoder()
    @exclusivity(unchecked) var encoder = HPACKEncoder()
    @exclusivity(unchecked) var output = ReusableByteBuffer(capacity: 32 * 1024)
    @exclusivity(unchecked) var streams = StreamTable()
    @exclusivity(unchecked) var layouts = HeaderTemplates()
    /// Requests or answers whose HEADERS are to be written.
    @exclusivity(unchecked) var messages = MessageQueue()
    /// Streams with DATA to write, in turn.
    @exclusivity(unchecked) var dataQueue = RingBuffer<HTTP2Stream>()
    /// Streams with a WINDOW_UPDATE to write.
    @exclusivity(unchecked) var windowQueue = RingBuffer<HTTP2Stream>()
    /// Streams with a RST_STREAM to write.
    @exclusivity(unchecked) var endQueue = RingBuffer<HTTP2Stream>()
    @exclusivity(unchecked) var floodGuard: FloodLimiter
    @exclusivity(unchecked) var headerBlock: HeaderBlockAssembler?
    @exclusivity(unchecked) var local = LocalSettings()
    @exclusivity(unchecked) var remote = RemoteSettings()
    @exclusivity(unchecked) var flow = ConnectionFlowControl()
    @exclusivity(unchecked) var ending = ConnectionShutdownState()
    /// The closed streams that a server remembers; unused by a client.
    @exclusivity(unchecked) var closedStreams = ClosedStreams()
    /// Whether the peer's first SETTINGS have come.
    @exclusivity(unchecked) var isIntroduced = false
    /// Streams of a client that are on the wire.
    @exclusivity(unchecked) var sentStreams = 0
    /// The identifier of a client's next stream.
    @exclusivity(unchecked) var nextStream: Int64 = 1
    /// The last stream that the peer has opened.
    @exclusivity(unchecked) var lastPeerStream: Int32 = 0
    /// PINGs of ours that have not been acknowledged.
    @exclusivity(unchecked) var pingsInFlight = 0
    /// When the bytes being received came in.
    @exclusivity(unchecked) var now = NIODeadline.uptimeNanoseconds(0)
    /// Whether the session is receiving or writing, and must not be entered again.
    @exclusivity(unchecked) private var isAtWork = false

    /// A new session whose first output is its connection preface and its settings.
    ///
    /// The delegate is not retained: it must outlive the session's use.
    ///
    /// - Throws: ``HTTP2SessionError`` `invalidState` when a setting is outside of its range.
    public init(
        role: Role,
        settings: HTTP2Settings = HTTP2Settings(),
        limits: HTTP2Limits = HTTP2Limits(),
        delegate: any HTTP2SessionDelegate
    ) throws(HTTP2SessionError) {
        try settings.validate()
        self.role = role
        self.limits = limits
        self.maximumHeaderListSize = 2 * Int(settings.maximumHeaderListSize)
        self.delegate = delegate
        self.floodGuard = FloodLimiter(limits: limits)
        self.reader = FrameReader(maximumPayload: Int(settings.maximumFrameSize), expectsPreface: role == .server)
        if role == .client { self.output.appendPreface() }
        self.announce(settings)
    }

    // MARK: Receiving

    /// Processes bytes from the peer, and notifies the delegate.
    ///
    /// A violation does not throw: a GOAWAY is added to the output, ``isFinished`` becomes true when it is written, and
    /// further input is ignored.
    /// - Throws: ``HTTP2SessionError`` `invalidState` if the session is receiving or writing already.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: NIODeadline) throws(HTTP2SessionError) {
        try self.beginWork()
        defer { self.isAtWork = false }
        self.now = now
        var rest = bytes
        while !self.ending.isTerminated {
            switch self.reader.next(&rest) {
            case .needsMore: return
            case .frame(let frame):
                self.handle(frame)
                self.reader.discardFrame()
            case .tooLarge(let kind):
                // The first bytes of a peer with another protocol are no frame header.
                if self.isIntroduced || kind == Frame.Kind.settings {
                    self.breakOff(.frameSizeError, "a frame is larger than was announced")
                } else {
                    self.breakOff(.protocolError, "the first frame is not SETTINGS")
                }
            case .notHTTP2: self.breakOff(.protocolError, "the connection does not begin as HTTP/2 has it")
            }
        }
    }

    // MARK: Writing

    /// Appends pending output to `buffer`, up to about `limit` bytes.
    ///
    /// - Returns: whether all of it was appended.
    /// - Throws: ``HTTP2SessionError`` `invalidState` if the session is receiving or writing already.
    public func write(into buffer: inout ByteBuffer, limit: Int) throws(HTTP2SessionError) -> Bool {
        try self.beginWork()
        defer { self.isAtWork = false }
        let isComplete = self.writeQueues(limit: limit - buffer.readableBytes)
        buffer.writeBytes(UnsafeRawBufferPointer(self.output.bytes))
        self.output.removeAll()
        return isComplete
    }

    private func beginWork() throws(HTTP2SessionError) {
        guard !self.isAtWork else {
            let message = "HTTP/2: a session that is receiving or writing must not be entered again"
            throw HTTP2SessionError(code: .invalidState, message: message)
        }
        self.isAtWork = true
    }

    // MARK: State

    /// Whether nothing more will be read or written: the transport can be closed.
    public var isFinished: Bool {
        guard self.output.isEmpty else { return false }
        return self.ending.isTerminated || (self.ending.isAnnounced && self.streams.count == 0)
    }

    /// Why this side ended the connection, where it was this side and not its owner.
    public var endedBy: HTTP2SessionError? { self.ending.failure }

    public var openStreams: Int { self.streams.count }

    /// How many streams the peer allows to be open at once; 2^32-1 where it named no limit.
    public var remoteMaximumConcurrentStreams: UInt32 { self.remote.maximumConcurrentStreams }

    /// How many bytes of bodies the peer takes now before it widens the connection's window.
    public var remoteWindowSize: Int32 { Int32(truncatingIfNeeded: self.flow.sendWindow) }
}

/// Receives the events of a session, on the owner's thread, while it receives and, for closed streams, while it writes.
///
/// Pointers are valid only during the call. Submitting, resetting and GOAWAY are allowed in it; receiving and writing
/// are not.
public protocol HTTP2SessionDelegate: AnyObject {
    /// A header block begins: a request on a server; on a client a response, one of status 1xx before it, or
    /// trailers after it. Trailers of a request are not reported.
    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream)

    /// One field of the block, pseudo-header fields first. Names are lower-case.
    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    )

    /// The block is complete. With `endStream` the peer sends nothing more on this stream.
    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool)

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream)

    /// The peer has ended the stream after a body.
    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream)

    /// The stream is closed and its slot free after this call. `noError` only after a complete exchange: a peer
    /// that resets with `NO_ERROR` before that is reported as `cancel`.
    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode)

    /// The peer announced settings; ``HTTP2Session/remoteMaximumConcurrentStreams`` is up to date.
    func sessionDidReceiveSettings(_ session: HTTP2Session)

    /// The peer accepts no more streams; those above `lastStreamID` were not processed.
    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    )

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session)
}

/// The windows of the connection itself, which all streams share (RFC 9113 section 6.9).
struct ConnectionFlowControl {
    /// The number of body bytes that the peer accepts now.
    var sendWindow = RemoteSettings.defaultWindowSize
    /// The number of body bytes that the peer may send now.
    private var receiveWindow = RemoteSettings.defaultWindowSize
    /// The number of bytes that it has sent since the last window update.
    private var received = 0

    /// Takes note of DATA, padding and all; `false` when the peer has sent more than it was granted.
    @inline(__always)
    mutating func receive(_ count: Int) -> Bool {
        guard count <= self.receiveWindow else { return false }
        self.receiveWindow &-= count
        self.received &+= count
        return true
    }

    /// The next window update: none until the peer has used half of its window.
    mutating func grant() -> Int? {
        guard self.received >= RemoteSettings.defaultWindowSize / 2 else { return nil }
        defer { self.received = 0 }
        self.receiveWindow += self.received
        return self.received
    }
}
