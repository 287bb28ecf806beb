// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import NIOCore
import NIOPosix

/// A connection over which a test says what it likes, well-formed or not, and takes what comes back or leaves it there.
final class RawConnection: Sendable {
    private let channel: any Channel
    private let lines: AsyncStream<String>

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - url: the server's URL.
    ///   - takesAnswers: whether what comes is read; otherwise it stays in the system's buffers, which are small.
    init(to url: String, takesAnswers: Bool = true) async throws {
        let place = URL(string: url)
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: takesAnswers)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LineReader(continuation))
                }
            }
        if !takesAnswers { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: 4096) }
        self.channel = try await bootstrap.connect(host: place?.host ?? "", port: place?.port ?? 0).get()
        self.lines = lines
    }

    /// Sends a text, and waits until the system has taken it.
    ///
    /// A cancelled task closes the connection.
    ///
    /// - Throws: what the system says when the server is gone.
    func send(_ text: String) async throws {
        let sent: EventLoopFuture<Void> = self.channel.writeAndFlush(ByteBuffer(string: text))
        try await withTaskCancellationHandler {
            try await sent.get()
        } onCancel: {
            self.channel.close(promise: nil)
        }
    }

    /// Says something as a chunk of a body that is sent in chunks.
    func sendChunk(_ text: String) async throws {
        try await self.send("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
    }

    /// The next line that the server says; `nil` when it has closed the connection.
    func nextLine() async -> String? { await self.lines.first { _ in true } }

    /// Hangs up, whatever is still to come.
    func close() async { try? await self.channel.close().get() }

    /// Cuts what comes into lines.
    private final class LineReader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let lines: AsyncStream<String>.Continuation
        private var rest = ByteBuffer()

        init(_ lines: AsyncStream<String>.Continuation) {
            self.lines = lines
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.rest.writeImmutableBuffer(self.unwrapInboundIn(data))
            while let end = self.rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                let line = self.rest.readString(length: end - self.rest.readerIndex) ?? ""
                self.rest.moveReaderIndex(forwardBy: 1)
                self.lines.yield(line.hasSuffix("\r") ? String(line.dropLast()) : line)
            }
            self.rest.discardReadBytes()
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.lines.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}

extension ServerInTest.Running {
    /// Opens a connection to the server.
    func connect(takingAnswers: Bool = true) async throws -> RawConnection {
        try await RawConnection(to: self.environment["APUS_URL"] ?? "", takesAnswers: takingAnswers)
    }

    /// The head of a request whose body is sent in chunks.
    func head(of path: String, type: String = "application/json") -> String {
        """
        POST \(path) HTTP/1.1\r
        Host: localhost\r
        Authorization: Bearer \(self.environment["APUS_API_KEY"] ?? "")\r
        Content-Type: \(type)\r
        Transfer-Encoding: chunked\r
        \r

        """
    }
}
