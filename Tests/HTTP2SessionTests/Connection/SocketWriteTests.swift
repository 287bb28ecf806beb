// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session
import NIOCore
import Synchronization
import Testing

@Suite("Writing to sockets", .timeLimit(.minutes(20)))
struct SocketWriteTests {
    @Test("a thousand requests of one turn, and their answers, take few TCP writes")
    func coalesced() async throws {
        let writes = WriteCounter()
        var setup = try SocketPair.Setup()
        setup.onAccept = { try $0.pipeline.syncOperations.addHandler(writes.handler(), position: .first) }
        try await SocketPair.with(setup) { pair in
            _ = await pair.clientEvents.until { $0 == .settings }
            let requests = WriteCounter()
            try await pair.client.eventLoop.submit {
                try pair.client.pipeline.syncOperations.addHandler(requests.handler(), position: .first)
            }.get()
            let before = writes.count
            try await pair.onClient { connection in
                for number in 0..<1000 {
                    try connection.session?.request(path: "/3/device/\(number)")
                    connection.scheduleFlush()
                }
            }
            _ = await pair.clientEvents.until(1000) { $0.closedStream != nil }
            #expect(requests.count < 10, "the requests went out in \(requests.count) writes")
            #expect(writes.count - before < 50, "the answers came in \(writes.count - before) writes")
        }
    }

    @Test("a server stops writing to a client that does not read, and goes on when it does")
    func stallAndResume() async throws {
        let (stalls, continuation) = AsyncStream.makeStream(of: Bool.self)
        var setup = try SocketPair.Setup()
        setup.onAccept = { try $0.pipeline.syncOperations.addHandler(WritabilityObserver(continuation)) }
        setup.server = { recorder, event in
            guard let id = event.completedStream, let stream = recorder.streams[id] else { return }
            try? recorder.session?.respond(to: stream, filler: 7000)
        }
        try await SocketPair.with(setup) { pair in
            _ = await pair.clientEvents.until { $0 == .settings }
            try await pair.client.setOption(.autoRead, value: false).get()
            try await pair.onClient { connection in
                for number in 0..<1000 { try connection.session?.request(path: "/3/device/\(number)") }
                connection.flush()
            }
            // Seven megabytes do not fit into the sockets.
            #expect(await stalls.first { !$0 } == false)
            try await pair.client.setOption(.autoRead, value: true).get()
            let events = await pair.clientEvents.until(1000) { $0.closedStream != nil }
            #expect(events.filter { if case .closed(_, .noError) = $0 { true } else { false } }.count == 1000)
        }
    }
}

/// Counts the writes that reach a socket.
private final class WriteCounter: Sendable {
    private let writes = Mutex(0)

    var count: Int { self.writes.withLock { $0 } }

    func handler() -> some ChannelHandler { Handler(counter: self) }

    private final class Handler: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let counter: WriteCounter

        init(counter: WriteCounter) {
            self.counter = counter
        }

        func flush(context: ChannelHandlerContext) {
            self.counter.writes.withLock { $0 += 1 }
            context.flush()
        }
    }
}

/// Tells when a channel stops and starts to take writes.
private final class WritabilityObserver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let continuation: AsyncStream<Bool>.Continuation

    init(_ continuation: AsyncStream<Bool>.Continuation) {
        self.continuation = continuation
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.continuation.yield(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }
}
