// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CZeroMQ
import Foundation
import ZeroMQ

/// A client's socket of ZeroMQ in a test.
///
/// `@unchecked Sendable`: each test uses it from one task at a time, which waits for the thread of a blocking call.
final class ProxyPeer: @unchecked Sendable {
    private let context: UnsafeMutableRawPointer?
    private let socket: UnsafeMutableRawPointer?

    /// Connects a socket of a kind, such as `ZMQ_REQ`, to a port of this machine.
    init(_ kind: Int32, port: Int) throws {
        self.context = zmq_ctx_new()
        self.socket = zmq_socket(self.context, kind)
        // What was not sent is dropped at the end of a test, and little waits in memory until then.
        for (option, number) in [(ZMQ_LINGER, 0), (ZMQ_SNDHWM, 1)] as [(Int32, Int32)] {
            var number = number
            zmq_setsockopt(self.socket, option, &number, MemoryLayout<Int32>.size)
        }
        guard zmq_connect(self.socket, "tcp://127.0.0.1:\(port)") == 0 else { throw ZeroMQError(code: zmq_errno()) }
    }

    deinit {
        zmq_close(self.socket)
        zmq_ctx_term(self.context)
    }

    /// Sends the frames of a message; waits for room in the queue.
    func send(_ frames: [UInt8]...) async {
        await Self.blocking {
            for (index, frame) in frames.enumerated() {
                zmq_send(self.socket, frame, frame.count, index < frames.count - 1 ? ZMQ_SNDMORE : 0)
            }
        }
    }

    /// Sends a message if there is room in the queue; returns whether there was.
    func trySend(_ message: [UInt8]) -> Bool { zmq_send(self.socket, message, message.count, ZMQ_DONTWAIT) >= 0 }

    func receive() async -> String {
        await Self.blocking {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = zmq_recv(self.socket, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
        }
    }

    /// Sends a request and returns the response.
    func request(_ message: [UInt8]) async -> String {
        await self.send(message)
        return await self.receive()
    }

    private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
