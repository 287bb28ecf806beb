// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import NIOHTTP1
import NIOPosix

/// Makes calls on one connection that stays open, each when the one before it is answered, as a worker with boto3 does.
///
/// The calls were written and signed before, for that is the work of other machines.
final class SNSBenchCalls: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// A request, signed.
    struct Call: Sendable {
        let head: HTTPRequestHead
        let body: ByteBuffer
    }

    /// How long an answer may take.
    private static let patience = TimeAmount.seconds(30)

    private var waiting: ArraySlice<Call>
    private var times: [Double] = []
    private var begun = ContinuousClock.now
    private var refusal: HTTPResponseStatus?
    private let finished: EventLoopPromise<[Double]>

    private init(_ calls: [Call], finished: EventLoopPromise<[Double]>) {
        self.waiting = calls[...]
        self.finished = finished
        self.times.reserveCapacity(calls.count)
    }

    /// Makes calls one after the other.
    ///
    /// - Parameters:
    ///   - calls: the requests, in their order.
    ///   - host: where to.
    ///   - port: where to.
    /// - Returns: from each request to its answer, in milliseconds.
    /// - Throws: ``CommandFailure`` when a call is refused or not answered.
    static func make(_ calls: [Call], host: String, port: Int) async throws -> [Double] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let finished = loop.makePromise(of: [Double].self)
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(readTimeout: Self.patience))
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(SNSBenchCalls(calls, finished: finished))
                }
            }
        do {
            _ = try await bootstrap.connect(host: host, port: port).get()
        } catch {
            finished.fail(error)
        }
        return try await finished.futureResult.get()
    }

    func channelActive(context: ChannelHandlerContext) {
        self.callNext(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.refusal = head.status == .ok ? nil : head.status
        case .body: break
        case .end:
            if let refusal { return self.fail("A call was answered with \(refusal.code).", context) }
            self.times.append((ContinuousClock.now - self.begun) / .milliseconds(1))
            self.callNext(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { self.fail("A call was not answered.", context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail("The server closed a connection.", context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail("A connection failed: \(error).", context)
    }

    private func callNext(_ context: ChannelHandlerContext) {
        guard let call = self.waiting.popFirst() else {
            self.finished.succeed(self.times)
            return context.close(promise: nil)
        }
        self.begun = .now
        context.write(self.wrapOutboundOut(.head(call.head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(.byteBuffer(call.body))), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// A promise that was kept before stays kept.
    private func fail(_ message: String, _ context: ChannelHandlerContext) {
        self.finished.fail(CommandFailure("bad_run", message))
        context.close(promise: nil)
    }
}
