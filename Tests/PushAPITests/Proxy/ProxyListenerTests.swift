// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CZeroMQ
import Foundation
import Testing

@testable import PushAPI

@Suite("The sockets of the proxy protocol", .timeLimit(.minutes(10)))
struct ProxyListenerTests {
    /// Runs a listener on its thread until `body` returns.
    private static func with(
        _ configuration: ProxyConfiguration,
        _ body: (ProxyListener) async throws -> Void
    ) async throws {
        let listener = try ProxyListener(configuration)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread {
            #expect(throws: Never.self) { try listener.run() }
            end.finish()
        }
        do {
            try await body(listener)
        } catch {
            listener.close()
            throw error
        }
        listener.close()
        for await _ in ends {}
    }

    @Test(
        "are not read while messages wait to be stored; then each message arrives, in its order",
        arguments: [(10, 16 << 20), (9000, 600_000)]
    )
    func backPressure(pushes: Int, bytes: Int) async throws {
        // More than the buffers of the connection hold.
        let (count, size) = (1000, 60 << 10)
        var configuration = ProxyConfiguration(port: 0)
        configuration.maximumPushes = pushes
        configuration.maximumChunkBytes = bytes
        configuration.queueLimit = 1
        try await Self.with(configuration) { listener in
            let pusher = try ProxyPeer(ZMQ_PUSH, port: listener.pullPort)
            func message(_ number: Int) -> [UInt8] {
                Array("\(number) ".utf8) + [UInt8](repeating: 0x20, count: size)
            }
            var (sent, waits) = (0, 0)
            // The sender waits, and nothing changes that.
            while waits < 100_000, sent < count {
                if pusher.trySend(message(sent)) { (sent, waits) = (sent + 1, 0) } else { waits += 1 }
                await Task.yield()
            }
            #expect(sent < count, "all messages were read")
            let rest = (sent..<count).map(message)
            let sending = Task { for message in rest { await pusher.send(message) } }
            var received: [Int] = []
            for await _ in listener.chunks {
                while let chunk = listener.takeChunk() {
                    #expect(chunk.count <= pushes)
                    #expect(chunk.bytes.count < bytes + 2 * size)
                    for index in 0..<chunk.count {
                        let text = String(decoding: chunk.bytes[chunk.range(of: index)], as: UTF8.self)
                        received.append(try #require(Int(text.prefix { $0 != " " })))
                    }
                }
                if received.count >= count { break }
            }
            await sending.value
            #expect(received == Array(0..<count))
        }
    }

    @Test("cannot be opened where another process listens")
    func addressInUse() async throws {
        let listener = try ProxyListener(ProxyConfiguration(port: 0))
        var configuration = ProxyConfiguration(port: 0)
        configuration.pullPort = listener.port
        let error = try #require(throws: PushAPIError.self) { _ = try ProxyListener(configuration) }
        #expect(error.code == .addressInUse && error.message.contains("\(listener.port)"))
        configuration = ProxyConfiguration(host: "192.0.2.1", port: 0)
        let other = try #require(throws: PushAPIError.self) { _ = try ProxyListener(configuration) }
        #expect(other.code == .addressUnavailable)
    }
}
