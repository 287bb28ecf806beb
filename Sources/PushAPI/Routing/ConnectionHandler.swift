// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Holds one connection to the limits of time: for the next request, for a body, and for a stream of lines.
///
/// It stands between the HTTP decoder and what answers requests, and runs on the connection's event loop. Time in which the
/// server itself does not read, because it has not stored what came, never counts against the client.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A body of which this much is missing when its request is refused is read to its end, so that the connection stays.
    private static let smallRest = 64 << 10

    /// How long and how much a client may go on sending after its connection has been closed for output.
    ///
    /// Closing at once would destroy an answer that the client has not read yet.
    private static let lingering: (time: TimeAmount, bytes: Int) = (.seconds(2), 64 << 20)

    /// Says that the body of the request is a stream of lines.
    struct StreamBegins: Sendable {}

    /// A request of which more is to come.
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

        /// Whether what is missing is read to its end although the request is answered.
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
    /// Since when the client takes no more of its answers than the system holds for it; `nil` while it does.
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
        self.connection = self.connections.opened(context.channel, from: ClientAddress(context.remoteAddress))
        guard self.connection != nil else { return context.close(promise: nil) }
        let shortest = min(self.limits.idle, self.limits.slowBody, self.limits.idleStream)
        let interval = TimeAmount(min(.seconds(5), shortest / 2))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.check = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            let (handler, context) = bound.value
            handler.checkTimes(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end()
        // A body that was dropped here must not look complete.
        if self.dropped != nil {
            self.errorCaught(context: context, error: BodyInterruption(cause: ChannelError.inputClosed))
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
            // The request was refused for its slowness, and whoever answers it does not know yet.
            promise?.fail(ChannelError.outputClosed)
            return
        }
        // Whether this is the answer to a request of which too much is missing.
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

    /// Sends no more, and reads for a moment what the client sends, so that it gets to read its answer.
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
        // Also what is left of a body that nobody reads must end.
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
        let problem = ProblemBody(Self.timeout, requestID: "none")
        guard self.unanswered == 1, !self.hasBegunAnswer, let bytes = try? JSONBody.bytes(problem) else {
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
