// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import NIOPosix
import PushModel
import Testing

/// A client that writes HTTP as text, piece by piece, and reads the answer as it comes.
struct RawClient {
    let channel: any Channel
    let received: AsyncStream<ByteBuffer>

    /// Connects to the server of a test.
    init(_ api: TestAPI) async throws {
        try await self.init(port: try #require(api.client.port))
    }

    /// Connects to a port of this machine.
    init(port: Int) async throws {
        let (received, receiving) = AsyncStream.makeStream(of: ByteBuffer.self)
        self.received = received
        self.channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(SocketClient.deadline)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(receiving))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Connects, and begins a stream of notifications.
    ///
    /// - Parameter key: the bearer token; the admin's unless given.
    static func stream(_ api: TestAPI, query: String, key: String? = nil) async throws -> RawClient {
        let client = try await RawClient(api)
        try await client.begin(
            "POST \(TestAPI.streamPath)\(query)",
            "Authorization: Bearer \(key ?? api.admin.text)",
            "Content-Type: application/x-ndjson",
            "Transfer-Encoding: chunked"
        )
        return client
    }

    /// Writes the head of a request: method and path, and header lines.
    func begin(_ operation: String, _ fields: String...) async throws {
        let lines = ["\(operation) HTTP/1.1", "Host: localhost"] + fields
        try await self.write(lines.map { "\($0)\r\n" }.joined() + "\r\n")
    }

    /// Writes text as it is; the connection is closed when the task is cancelled, since a peer that reads nothing would keep
    /// it waiting.
    func write(_ text: String) async throws {
        try await withTaskCancellationHandler {
            try await self.channel.writeAndFlush(ByteBuffer(string: text)).get()
        } onCancel: {
            self.channel.close(promise: nil)
        }
    }

    /// Writes a piece of a chunked body.
    func send(_ text: String) async throws {
        try await self.write(String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n")
    }

    /// Reads until the answer holds a text, or the server has closed the connection.
    func read(until text: String) async -> String {
        var answer = ""
        for await buffer in self.received {
            answer += String(buffer: buffer)
            if answer.contains(text) { break }
        }
        return answer
    }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: AsyncStream<ByteBuffer>.Continuation

        init(_ received: AsyncStream<ByteBuffer>.Continuation) {
            self.received = received
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.received.yield(self.unwrapInboundIn(data))
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.received.finish()
        }
    }
}
