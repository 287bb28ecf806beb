// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import PushModel

/// Enforces the time limits of one connection: for the next request, for a body, and for a stream of lines.
///
/// It is between the HTTP decoder and the handler of requests, and runs on the connection's event loop. Time in which
/// the server itself does not read, because it has not stored earlier input, does not count.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// If at most this much of a body is missing when its request is rejected, the rest is read, so that the connection
    /// stays open.
    private static let smallRest = 64 << 10

    /// The time and the number of bytes for which input is read after the output of the connection was closed.
    ///
    /// Closing immediately would destroy a response that the client has not read yet.
    private static let lingering: (time: TimeAmount, bytes: Int) = (.seconds(2), 64 << 20)

    /// Says that the body of the request is a stream of lines.
    struct StreamBegins: Sendable {}

    /// A request whose body is not complete.
    private struct Body {
        var isStream = false
        let length: Int?
        var received = 0
        /// How long the server has waited for the client, until `asked`.
        var waited: TimeAmount = .zero
        /// Since when the server waits for the client; `nil` while it does not read.
        var asked: NIODeadline?

        mutating func take(_ count: Int) {
            self.received += count
            if let asked { self.waited = self.waited + (.now() - asked) }
            self.asked = nil
        }

        /// Whether the rest of the body is read although the response was sent.
        var isReadToEnd: Bool {
            if self.isStream { return true }
            guard let length else { return false }
            return length - min(length, self.received) <= ConnectionHandler.smallRest
        }
    }

    private let connections: ClientConnections
    private var receiving: Body?
    /// How many requests have begun and are not answered; more than one when the client does not wait for answers.
    private var unanswered = 0
    /// Since when the client does not read its responses, so that the system's buffer is full; `nil` while it does.
    private var unwritableSince: NIODeadline?
    /// Whether the head of an answer is written, and its end is not.
    private var hasBegunAnswer = false
    /// How much was dropped since the connection was closed for output; `nil` before that.
    private var dropped: Int?
    /// The connection while it is open.
    private var connection: ClientConnections.Connection?
    /// Whether the request was ended by its deadline.
    private var isTimedOut = false
    private var check: RepeatedTask?

    init(_ connections: ClientConnections) {
        self.connections = connections
    }

    private var limits: ConnectionLimits { self.connections.limits }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { self.begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard self.connection == nil else { return }
        let peer = NetworkAddress(context.remoteAddress)
        let isProxy = peer.map { self.limits.proxies.contains($0) } ?? false
        self.connection = self.connections.opened(context.channel, from: isProxy ? nil : peer.map { ClientAddress($0) })
        guard self.connection != nil else { return context.close(promise: nil) }
        let shortest = min(self.limits.idle, self.limits.slowBody, self.limits.idleStream)
        let interval = TimeAmount(min(.seconds(5), shortest / 2))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.check = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            let (handler, context) = bound.value
            handler.checkTimes(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let header = event as? ProxyHeaderHandler.HeaderRead, let client = header.client, let connection {
            guard self.connections.identified(connection, as: client) else { return context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end()
        // A body that was dropped here must not look complete.
        if self.dropped != nil {
            self.errorCaught(context: context, error: RequestBodyError(cause: ChannelError.inputClosed))
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(self.isTimedOut ? Self.timeout : error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.end()
    }

    private func end() {
        self.check?.cancel()
        self.check = nil
        guard let connection = self.connection else { return }
        self.connection = nil
        self.connections.closed(connection)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = self.unwrapInboundIn(data)
        if let dropped = self.dropped { return self.drop(part, after: dropped, context) }
        switch part {
        case .head(let head):
            let length = head.headerFields[.contentLength].flatMap { Int($0) }
            self.receiving = Body(length: length)
            self.unanswered += 1
            self.connection?.idleSince = nil
        case .body(let bytes):
            self.receiving?.take(bytes.readableBytes)
        case .end:
            self.receiving = nil
            if self.unanswered == 0 { self.connection?.idleSince = .now() }
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if self.receiving != nil, self.receiving?.asked == nil { self.receiving?.asked = .now() }
        context.read()
    }

    private func drop(_ part: HTTPRequestPart, after dropped: Int, _ context: ChannelHandlerContext) {
        switch part {
        case .head: break
        case .body(let bytes):
            self.dropped = dropped + bytes.readableBytes
            if dropped + bytes.readableBytes > Self.lingering.bytes { context.close(promise: nil) }
        case .end: context.close(promise: nil)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is StreamBegins else { return context.triggerUserOutboundEvent(event, promise: promise) }
        self.receiving?.isStream = true
        promise?.succeed()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.unwritableSince = context.channel.isWritable ? nil : .now()
        context.fireChannelWritabilityChanged()
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard self.dropped == nil else {
            // The request was rejected because it is too slow, but its handler does not know that yet.
            promise?.fail(ChannelError.outputClosed)
            return
        }
        // Whether this is the response to a request of which too much is missing.
        let isEarly = self.unanswered == 1 && self.receiving?.isReadToEnd == false
        switch self.unwrapOutboundIn(data) {
        case .head(var head):
            self.hasBegunAnswer = true
            if isEarly { head.headerFields[.connection] = "close" }
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end where isEarly:
            context.writeAndFlush(data, promise: promise)
            self.linger(context)
        case .end:
            self.hasBegunAnswer = false
            self.unanswered = max(0, self.unanswered - 1)
            if self.unanswered == 0 { self.connection?.idleSince = .now() }
            context.write(data, promise: promise)
        }
    }

    /// Closes the output, and reads for a moment, so that the client reads its response.
    private func linger(_ context: ChannelHandlerContext) {
        self.dropped = 0
        self.check?.cancel()
        self.check = nil
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.lingering.time) { channel.close(promise: nil) }
        context.read()
    }

    // MARK: Time

    private func checkTimes(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        if let since = self.unwritableSince, now - since >= TimeAmount(self.limits.unreadAnswer) {
            return context.close(promise: nil)
        }
        // The rest of a body that is discarded must end, too.
        if let since = self.connection?.idleSince, now - since >= TimeAmount(self.limits.idle) {
            return context.close(promise: nil)
        }
        guard let body = self.receiving else { return }
        guard let asked = body.asked else { return }
        if body.isStream {
            if now - asked >= TimeAmount(self.limits.idleStream) { context.close(promise: nil) }
        } else if self.isLate(body, waited: body.waited + (now - asked)) {
            self.refuse(context)
        }
    }

    private func isLate(_ body: Body, waited: TimeAmount) -> Bool {
        if waited >= TimeAmount(self.limits.body) { return true }
        let slow = waited - TimeAmount(self.limits.slowBody)
        guard slow >= .zero else { return false }
        return Double(body.received) < Double(self.limits.bodyBytesPerSecond) * Double(slow.nanoseconds) / 1e9
    }

    private func refuse(_ context: ChannelHandlerContext) {
        // An answer that has begun, or that an earlier request waits for, must not be mixed with this one.
        let problem = ProblemResponse(Self.timeout, requestID: "none")
        guard self.unanswered == 1, !self.hasBegunAnswer, let bytes = try? JSONResponseEncoder.bytes(problem) else {
            return context.close(promise: nil)
        }
        let head = HTTPResponse(
            status: .requestTimeout,
            headerFields: [
                .contentType: "application/problem+json", .contentLength: "\(bytes.count)", .connection: "close",
            ]
        )
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(ByteBuffer(bytes: bytes))), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        self.isTimedOut = true
        self.linger(context)
    }

    private static var timeout: Problem { Problem(.requestTimeout, ProblemCode.requestTimeout.entry.meaning) }
}
