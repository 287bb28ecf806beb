// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import NIOCore
public import NIOSSL
import NIOTLS

/// The channel handler that puts an ``HTTP2Session`` on a socket: one write for each turn of the event loop.
///
/// It stands last in the pipeline, behind TLS. Whatever its delegate submits while input is being read goes
/// out in one write when the read is over; what is submitted at another time goes out with ``flush()`` or,
/// gathered, at the end of the turn with ``scheduleFlush()``. Not thread-safe: it belongs to its event loop.
public final class HTTP2Connection: ChannelInboundHandler {
    /// Decrypted bytes of the peer.
    public typealias InboundIn = ByteBuffer
    /// Nothing goes further.
    public typealias InboundOut = Never
    /// Bytes for the peer.
    public typealias OutboundOut = ByteBuffer

    private enum State {
        /// The socket or TLS is not up. Can transition to: `open`, `closing`, `closed`.
        case opening
        /// Bytes flow. Can transition to: `closing`, `closed`.
        case open(HTTP2Session)
        /// The last bytes are on their way, or nothing more is sent; input is ignored. Can transition to: `closed`.
        case closing
        /// All is over, the delegate has been told.
        case closed
    }

    /// What came up while the session was at work, and is done when it is not.
    private enum Deferred: Int, Comparable {
        case nothing
        case close
        case finish

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    private let configuration: HTTP2ConnectionConfiguration
    private var delegate: (any HTTP2ConnectionDelegate)?
    private var state = State.opening
    private var context: ChannelHandlerContext?
    private var output = ByteBuffer()
    private var isReading = false
    private var isFlushScheduled = false
    /// Whether the session is receiving or writing: its delegate may be calling, and it must not be entered again.
    private var isInSession = false
    private var deferred = Deferred.nothing
    private var error: HTTP2SessionError?
    private var handshakeDeadline: Scheduled<Void>?
    /// Since when output has been waiting for a peer that takes nothing.
    private var stalledSince: NIODeadline?
    private var stallCheck: Scheduled<Void>?

    /// A handler that tells `delegate` what happens.
    ///
    /// It is retained until the connection has closed.
    public init(configuration: HTTP2ConnectionConfiguration, delegate: any HTTP2ConnectionDelegate) {
        self.configuration = configuration
        self.delegate = delegate
    }

    /// The session, once the connection is open and until it is closed.
    public var session: HTTP2Session? {
        if case .open(let session) = self.state { session } else { nil }
    }

    /// The event loop on which everything happens; `nil` outside of a pipeline.
    public var eventLoop: (any EventLoop)? { self.context?.eventLoop }

    public var remoteAddress: SocketAddress? { self.context?.remoteAddress }

    // MARK: Writing

    /// Writes what has been submitted, now or, while input is being read, when that is over.
    public func flush() {
        guard !self.isReading else { return }
        self.writeOutput()
    }

    /// Writes what has been submitted at the end of the event loop's turn.
    ///
    /// Calls of one turn make one write.
    public func scheduleFlush() {
        guard !self.isReading, !self.isFlushScheduled, let context = self.context else { return }
        self.isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushScheduled = false
            self.flush()
        }
    }

    /// Closes the transport at once: what has been submitted but not written is dropped.
    ///
    /// The delegate is told.
    ///
    /// From within a call of the delegate it waits for that call, and for the rest of the same input.
    public func close() {
        self.beginClosing(nil)
    }

    private func writeOutput() {
        // A delegate that flushes while the session writes is served by the write under way.
        guard let context = self.context, case .open(let session) = self.state, !self.isInSession else { return }
        // A peer that does not read gets no more: what is not taken waits in the session, not in memory.
        guard context.channel.isWritable else { return self.stall(context) }
        self.stalledSince = nil
        self.output.clear()
        self.isInSession = true
        var isComplete = true
        var failure: HTTP2SessionError?
        do throws(HTTP2SessionError) {
            isComplete = try session.write(into: &self.output, limit: self.configuration.limits.maximumPendingOutput)
        } catch {
            failure = error
        }
        self.leaveSession()
        if let failure { return self.beginClosing(failure) }
        guard case .open = self.state else { return }
        if session.isFinished { return self.writeLast(context) }
        if self.output.readableBytes > 0 {
            context.writeAndFlush(self.wrapOutboundOut(self.output), promise: nil)
        }
        guard !isComplete else { return }
        if context.channel.isWritable { self.scheduleFlush() } else { self.stall(context) }
    }

    /// Writes the session's last bytes and closes when they are out.
    private func writeLast(_ context: ChannelHandlerContext) {
        if case .open(let session) = self.state { self.error = self.error ?? session.endedBy }
        self.state = .closing
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.context?.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(self.output), promise: written)
        self.stall(context)
    }

    /// Remembers since when the peer has been taking nothing.
    ///
    /// One timer serves any number of short stalls.
    private func stall(_ context: ChannelHandlerContext) {
        if case .closed = self.state { return }
        guard self.stalledSince == nil else { return }
        self.stalledSince = context.eventLoop.now
        if self.stallCheck == nil { self.scheduleStallCheck(context, after: self.configuration.limits.stallTimeout) }
    }

    private func scheduleStallCheck(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        self.stallCheck = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            self.stallCheck = nil
            guard let context = self.context, let stalledSince = self.stalledSince else { return }
            let timeout = self.configuration.limits.stallTimeout
            let waited = context.eventLoop.now - stalledSince
            guard waited >= timeout else { return self.scheduleStallCheck(context, after: timeout - waited) }
            if case .open(let session) = self.state { self.error = self.error ?? session.endedBy }
            let message = "the peer took nothing for \(Self.seconds(timeout)) s"
            self.error = self.error ?? HTTP2SessionError(code: .connectionLost, message: message)
            self.state = .closing
            context.close(promise: nil)
        }
    }

    private static func seconds(_ amount: TimeAmount) -> Double { Double(amount.nanoseconds) / 1e9 }

    // MARK: Opening and closing

    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.output = context.channel.allocator.buffer(capacity: 32 * 1024)
        if case .closing = self.state { return context.close(promise: nil) }
        if context.channel.isActive { self.begin(context) }
    }

    public func channelActive(context: ChannelHandlerContext) {
        self.begin(context)
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard case .opening = self.state, self.handshakeDeadline == nil else { return }
        guard self.configuration.usesTLS else { return self.open(context) }
        let timeout = self.configuration.handshakeTimeout
        self.handshakeDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            let message = "no TLS handshake within \(Self.seconds(timeout)) s"
            self.beginClosing(HTTP2SessionError(code: .connectionLost, message: message))
        }
    }

    /// Waits for the end of the TLS handshake.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        if negotiated == "h2" || (negotiated == nil && self.configuration.acceptsMissingALPN) {
            self.open(context)
        } else {
            let other = negotiated.map { "\"\($0)\"" } ?? "no application protocol"
            let message = "the peer agreed on \(other), not on \"h2\""
            self.beginClosing(HTTP2SessionError(code: .notHTTP2, message: message))
        }
    }

    private func open(_ context: ChannelHandlerContext) {
        guard case .opening = self.state, let delegate = self.delegate else { return }
        self.handshakeDeadline?.cancel()
        do throws(HTTP2SessionError) {
            let session = try HTTP2Session(
                role: self.configuration.role,
                settings: self.configuration.settings,
                limits: self.configuration.limits,
                delegate: delegate
            )
            self.state = .open(session)
        } catch {
            self.beginClosing(error)
            return
        }
        let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLHandler.self)
        delegate.connectionDidOpen(self, peerCertificate: tls?.peerCertificate)
        self.flush()
    }

    public func channelInactive(context: ChannelHandlerContext) {
        self.finish()
        context.fireChannelInactive()
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        self.finish()
        self.context = nil
    }

    /// Closes the transport, for a reason or without one, once the session is not at work.
    private func beginClosing(_ error: HTTP2SessionError?) {
        switch self.state {
        case .closed: return
        case .opening, .closing: break
        case .open(let session): self.error = self.error ?? error ?? session.endedBy
        }
        self.error = self.error ?? error
        guard !self.isInSession else {
            self.deferred = max(self.deferred, .close)
            return
        }
        self.state = .closing
        self.context?.close(promise: nil)
    }

    /// Tells the delegate that all is over: once, and never while the session calls it, since it is let go here.
    private func finish() {
        guard !self.isInSession else {
            self.deferred = .finish
            return
        }
        if case .closed = self.state { return }
        if case .open(let session) = self.state { self.error = self.error ?? session.endedBy }
        self.state = .closed
        self.handshakeDeadline?.cancel()
        self.stallCheck?.cancel()
        let delegate = self.delegate
        self.delegate = nil
        delegate?.connectionDidClose(self, error: self.error)
    }

    /// Does what came up while the session was at work.
    private func leaveSession() {
        self.isInSession = false
        let deferred = self.deferred
        self.deferred = .nothing
        switch deferred {
        case .nothing: break
        case .close: self.beginClosing(nil)
        case .finish: self.finish()
        }
    }

    /// TLS and socket errors end the connection.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many peers close the socket without TLS's close_notify; that is an end, not an error.
        if case .uncleanShutdown? = error as? NIOSSLError { return self.close() }
        self.beginClosing(HTTP2SessionError(code: .connectionLost, message: "the connection failed", cause: error))
    }

    // MARK: Reading

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .open(let session) = self.state else { return }
        self.isReading = true
        self.isInSession = true
        let buffer = self.unwrapInboundIn(data)
        var failure: HTTP2SessionError?
        do throws(HTTP2SessionError) {
            try buffer.withUnsafeReadableBytes { bytes throws(HTTP2SessionError) in
                try session.receive(bytes, now: context.eventLoop.now)
            }
        } catch {
            failure = error
        }
        self.leaveSession()
        if let failure { self.beginClosing(failure) }
    }

    public func channelReadComplete(context: ChannelHandlerContext) {
        if self.isReading {
            if case .open = self.state { self.delegate?.connectionDidReadBurst(self) }
            self.isReading = false
            self.writeOutput()
        }
        context.fireChannelReadComplete()
    }

    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, self.stalledSince != nil { self.flush() }
        context.fireChannelWritabilityChanged()
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension HTTP2Connection: Sendable {}

/// The owner of one HTTP/2 connection: a session's events, and the connection's beginning and end.
///
/// Every call comes on the connection's event loop.
public protocol HTTP2ConnectionDelegate: HTTP2SessionDelegate {
    /// TLS is up and `h2` agreed on; requests may be submitted. The settings of the peer come later.
    ///
    /// `peerCertificate` is `nil` if the peer did not authenticate itself with one.
    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?)

    /// A burst of input has been taken in: the moment to submit more before one write carries it all.
    func connectionDidReadBurst(_ connection: HTTP2Connection)

    /// The connection is gone, and every open stream with it. The last call that the delegate gets.
    ///
    /// The connection may never have opened. `error` is `nil` after an orderly end.
    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?)
}

/// How one HTTP/2 connection behaves.
public struct HTTP2ConnectionConfiguration: Sendable {
    public var role: HTTP2Session.Role

    /// What to announce.
    ///
    /// Defaults:
    /// ``HTTP2Settings/init(headerTableSize:maximumConcurrentStreams:initialWindowSize:maximumFrameSize:maximumHeaderListSize:)``.
    public var settings: HTTP2Settings

    public var limits: HTTP2Limits

    /// Whether a TLS handshake precedes the first byte of HTTP/2.
    ///
    /// Default: `true`; ``HTTP2Transport`` sets it itself.
    public var usesTLS: Bool

    /// Whether a peer that negotiated no application protocol at all is taken to speak HTTP/2.
    ///
    /// Default: `true` for a server, since clients of APNs in wide use send no ALPN; `false` for a client.
    public var acceptsMissingALPN: Bool

    /// How long the TLS handshake may take before the connection is closed.
    ///
    /// Default: 10 seconds.
    public var handshakeTimeout: TimeAmount

    public init(
        role: HTTP2Session.Role,
        settings: HTTP2Settings = HTTP2Settings(),
        limits: HTTP2Limits = HTTP2Limits(),
        usesTLS: Bool = true,
        acceptsMissingALPN: Bool? = nil,
        handshakeTimeout: TimeAmount = .seconds(10)
    ) {
        self.role = role
        self.settings = settings
        self.limits = limits
        self.usesTLS = usesTLS
        self.acceptsMissingALPN = acceptsMissingALPN ?? (role == .server)
        self.handshakeTimeout = handshakeTimeout
    }
}
