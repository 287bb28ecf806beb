// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing

/// A device on the courier port: frames out, and the messages that come back.
struct CourierTestClient: Sendable {
    /// A message of the simulator.
    struct Message: Sendable {
        let json: [UInt8]

        var members: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(self.json)) as? [String: Any]) ?? [:]
        }

        var type: String? { self.string("type") }

        func string(_ name: String) -> String? { self.members[name] as? String }
        func strings(_ name: String) -> [String]? { self.members[name] as? [String] }
        func number(_ name: String) -> Double? { self.members[name] as? Double }
    }

    /// Reads frames by the documentation alone.
    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let messages: AsyncStream<Message>.Continuation
        private var buffer = ByteBuffer()

        init(_ messages: AsyncStream<Message>.Continuation) {
            self.messages = messages
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = self.unwrapInboundIn(data)
            self.buffer.writeBuffer(&bytes)
            while let frame = self.buffer.readLengthPrefixedSlice(as: UInt32.self) {
                self.messages.yield(Message(json: Array(frame.readableBytesView)))
            }
        }

        func channelInactive(context: ChannelHandlerContext) { self.messages.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private let channel: any Channel
    /// The messages in their order; ends with the connection.
    let messages: AsyncStream<Message>

    /// Connects; the handshake may still go on.
    init(_ simulator: APNsSimulator, _ certificate: IssuedCertificate?) async throws {
        let context = try NIOSSLContext(configuration: .client(of: simulator, certificate: certificate))
        let (messages, continuation) = AsyncStream.makeStream(of: Message.self)
        self.messages = messages
        self.channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandler(tls)
                    try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: simulator.currentEndpoints?.courierPort ?? 0).get()
    }

    /// Connects, and enables topics.
    init(
        _ simulator: APNsSimulator,
        _ certificate: IssuedCertificate,
        enabling topic: String,
        _ others: String...
    ) async throws {
        try await self.init(simulator, certificate)
        #expect(try await self.next().type == "welcome")
        #expect(try await self.enable([topic] + others).type == "filter")
    }

    /// The next message.
    ///
    /// - Throws: `CancellationError` at the end of the connection.
    func next() async throws -> Message { try await self.messages.nextElement() }

    /// Why the connection ends; `nil` if it ends without a message.
    func end() async throws -> String? {
        for await message in self.messages where message.type == "closing" { return message.string("reason") }
        return nil
    }

    /// Sends bytes that may be no frame.
    func send(bytes: [UInt8]) async throws { try await self.channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Sends a message without waiting for a response.
    func send(_ json: String) async throws {
        var frame = ByteBuffer()
        try frame.writeLengthPrefixed(as: UInt32.self) { $0.writeString(json) }
        try await self.channel.writeAndFlush(frame)
    }

    /// Sends a message, and returns the next one that comes.
    func call(_ json: String) async throws -> Message {
        try await self.send(json)
        return try await self.next()
    }

    /// The token for a topic.
    func token(_ topic: String) async throws -> String? {
        try await self.call(#"{"type":"token","topic":"\#(topic)"}"#).string("token")
    }

    func enable(_ topics: [String]) async throws -> Message {
        let list = topics.map { #""\#($0)""# }.joined(separator: ",")
        return try await self.call(#"{"type":"filter","topics":[\#(list)]}"#)
    }

    /// Confirms a push, and waits until the simulator has processed that.
    ///
    /// - Returns: the pushes that came meanwhile.
    @discardableResult
    func confirm(_ push: Message) async throws -> [Message] {
        try await self.send(#"{"type":"confirm","apnsID":"\#(push.string("apnsID") ?? "")"}"#)
        try await self.send(#"{"type":"ping"}"#)
        var others: [Message] = []
        while true {
            let message = try await self.next()
            if message.type == "pong" { return others }
            others.append(message)
        }
    }

    /// Closes the socket without a word, as the system does for a process that is killed.
    func kill() async throws {
        let channel = self.channel
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self).close(promise: nil)
        }.get()
    }

    func close() async { try? await self.channel.close() }
}
