// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import NIOCore
public import NIOSSL
import NIOTLS

/// The channel handler that connects an ``HTTP2Session`` to a socket: one write for each event-loop tick.
///
/// It is the last handler of the pipeline, after TLS. Requests that its delegate submits while input is read are sent
/// in one write when the read ends; those submitted at another time are sent with ``flush()`` or, combined, at the end
/// of the tick with ``scheduleFlush()``. Not thread-safe: it belongs to its event loop.
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
        /// The connection is closed, and the delegate was notified.
        case closed
    }

    /// An action that was requested during a call of the session, and runs after it.
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

    /// Creates a handler that notifies `delegate` of events.
    ///
    /// It retains the delegate until the connection has closed.
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

    /// Writes the submitted frames now, or after the current read.
    public func flush() {
        guard !self.isReading else { return }
        self.writeOutput()
    }

    /// Writes the submitted frames at the end of the event-loop tick.
    ///
    /// Several calls in one tick result in one write.
    public func scheduleFlush() {
        guard !self.isReading, !self.isFlushScheduled, let context = self.context else { return }
        self.isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushScheduled = false
            self.flush()
        }
    }

    /// Closes the transport immediately: submitted but unwritten frames are dropped.
    ///
    /// The delegate is notified.
    ///
    /// A call from within a delegate method takes effect after that method, and after the rest of the same input.
    public func close() {
        self.beginClosing(nil)
    }

    private func writeOutput() {
        // A delegate that flushes while the session writes is served by the write under way.
        guard let context = self.context, case .open(let session) = self.state, !self.isInSession else { return }
        // A peer that does not read gets no more data: the rest waits in the session, not in the channel's buffer.
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

    /// Notifies the delegate of the end: once, and never during a call of the session, because it is released here.
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

    /// Performs the actions that were requested during the call of the session.
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

    /// The announced settings.
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
