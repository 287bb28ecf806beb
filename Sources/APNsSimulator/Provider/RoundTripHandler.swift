// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import DequeModule
import NIOCore

/// Holds everything that a server says back for a while, in order: an injected round trip.
///
/// It stands next to the socket, so that the TLS handshake and the first SETTINGS are held as well. What is flushed
/// at once goes out at once: one timer serves a burst, however many answers it holds.
final class RoundTripHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bursts whose times are closer than this go out together.
    private static let slack = TimeAmount.microseconds(200)

    private struct Write {
        var data: NIOAny
        var promise: EventLoopPromise<Void>?
    }

    private struct Burst {
        var due: NIODeadline
        var writes: [Write]
    }

    private let delay: TimeAmount
    private var unflushed: [Write] = []
    private var bursts: Deque<Burst> = []
    private var timer: Scheduled<Void>?
    /// The end of the connection, which follows what was said before it.
    private var closing: (due: NIODeadline, mode: CloseMode, promise: EventLoopPromise<Void>?)?
    private var context: ChannelHandlerContext?

    init(delay: TimeAmount) {
        self.delay = delay
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.forget()
        self.context = nil
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.unflushed.append(Write(data: data, promise: promise))
    }

    func flush(context: ChannelHandlerContext) {
        guard !self.unflushed.isEmpty else { return }
        self.bursts.append(Burst(due: context.eventLoop.now + self.delay, writes: self.unflushed))
        self.unflushed = []
        self.schedule(context)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        self.flush(context: context)
        guard mode != .input, !self.bursts.isEmpty, self.closing == nil else {
            return context.close(mode: mode, promise: promise)
        }
        self.closing = (context.eventLoop.now + self.delay, mode, promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.forget()
        context.fireChannelInactive()
    }

    private func schedule(_ context: ChannelHandlerContext) {
        guard self.timer == nil, let due = self.bursts.first?.due ?? self.closing?.due else { return }
        self.timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.timer = nil
            self.release()
        }
    }

    private func release() {
        guard let context = self.context else { return }
        let limit = context.eventLoop.now + Self.slack
        var hasWritten = false
        while let burst = self.bursts.first, burst.due <= limit {
            self.bursts.removeFirst()
            hasWritten = true
            for write in burst.writes { context.write(write.data, promise: write.promise) }
        }
        if hasWritten { context.flush() }
        if self.bursts.isEmpty, let closing = self.closing, closing.due <= limit {
            self.closing = nil
            return context.close(mode: closing.mode, promise: closing.promise)
        }
        self.schedule(context)
    }

    private func forget() {
        self.timer?.cancel()
        self.timer = nil
        let writes = self.bursts.flatMap(\.writes) + self.unflushed
        self.bursts.removeAll()
        self.unflushed.removeAll()
        for write in writes { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        let closing = self.closing
        self.closing = nil
        closing?.promise?.succeed()
    }
}

/// It belongs to one event loop and never leaves it.
@available(*, unavailable)
extension RoundTripHandler: Sendable {}
