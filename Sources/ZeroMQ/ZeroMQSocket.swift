// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CZeroMQ
import Foundation

/// A socket of libzmq that is bound to a TCP port; one thread uses it at a time.
///
/// See <https://libzmq.readthedocs.io/en/zeromq4-x/>.
package final class ZeroMQSocket {
    package enum Kind: Sendable {
        /// Receives requests of REQ sockets, and sends each its response, in any order.
        case router

        /// Receives the messages of PUSH sockets.
        case pull
    }

    package struct Options: Hashable, Sendable {
        /// The longest frame, in bytes; libzmq closes the connection of a peer that sends a longer one.
        package var maximumFrameBytes: Int

        /// How many messages of each peer are queued, in each direction.
        package var queueLimit: Int

        /// How long messages that were sent are kept for their peers after ``close()``, in milliseconds.
        package var lingerMilliseconds: Int

        package init(maximumFrameBytes: Int, queueLimit: Int, lingerMilliseconds: Int) {
            self.maximumFrameBytes = maximumFrameBytes
            self.queueLimit = queueLimit
            self.lingerMilliseconds = lingerMilliseconds
        }
    }

    /// The port that it is bound to.
    package let port: Int

    private let context: ZeroMQContext
    private let handle: UnsafeMutableRawPointer
    private let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    private var isClosed = false

    /// Opens a socket on an address of this machine; `port` 0 selects a free port.
    ///
    /// - Throws: ``ZeroMQError``, for example if the address is in use or does not belong to this machine.
    package init(
        _ kind: Kind,
        in context: ZeroMQContext,
        host: String,
        port: Int,
        options: Options
    ) throws(ZeroMQError) {
        guard let handle = zmq_socket(context.handle, kind == .router ? ZMQ_ROUTER : ZMQ_PULL) else {
            throw ZeroMQError.latest()
        }
        do throws(ZeroMQError) {
            try Self.set(ZMQ_MAXMSGSIZE, Int64(clamping: options.maximumFrameBytes), of: handle)
            for option in [ZMQ_RCVHWM, ZMQ_SNDHWM] {
                try Self.set(option, Int32(clamping: options.queueLimit), of: handle)
            }
            try Self.set(ZMQ_LINGER, Int32(clamping: options.lingerMilliseconds), of: handle)
            // A peer whose machine has vanished must not keep its connection.
            try Self.set(ZMQ_TCP_KEEPALIVE, Int32(1), of: handle)
            let isIPv6 = host.contains(":")
            try Self.set(ZMQ_IPV6, Int32(isIPv6 ? 1 : 0), of: handle)
            let address = isIPv6 ? "[\(host)]" : host
            guard zmq_bind(handle, "tcp://\(address):\(port == 0 ? "*" : String(port))") == 0 else {
                throw ZeroMQError.latest()
            }
            self.port = try Self.boundPort(of: handle)
        } catch {
            zmq_close(handle)
            self.message.deallocate()
            throw error
        }
        self.context = context
        self.handle = handle
        zmq_msg_init(self.message)
    }

    deinit {
        self.close()
        zmq_msg_close(self.message)
        self.message.deallocate()
    }

    /// Closes the socket and its connections; a second call does nothing.
    package func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        zmq_close(self.handle)
    }

    /// Receives one frame of a message, without waiting.
    ///
    /// `body` gets the frame, and whether the message has more of them, which are there already.
    /// - Returns: the result of `body`; `nil` if no message waits.
    package func receive<Value>(
        _ body: (_ frame: UnsafeRawBufferPointer, _ hasMore: Bool) -> Value
    ) throws(ZeroMQError) -> Value? {
        while zmq_msg_recv(self.message, self.handle, ZMQ_DONTWAIT) < 0 {
            let error = ZeroMQError.latest()
            if error.code == EAGAIN { return nil }
            guard error.code == EINTR else { throw error }
        }
        let frame = UnsafeRawBufferPointer(start: zmq_msg_data(self.message), count: zmq_msg_size(self.message))
        return body(frame, zmq_msg_more(self.message) != 0)
    }

    /// Sends the frames of one message, without waiting.
    ///
    /// A message to a peer that is gone, or whose queue is full, is dropped.
    package func send(_ frames: [[UInt8]]) throws(ZeroMQError) {
        for (index, frame) in frames.enumerated() {
            let flags = ZMQ_DONTWAIT | (index < frames.count - 1 ? ZMQ_SNDMORE : 0)
            while frame.withUnsafeBytes({ zmq_send(self.handle, $0.baseAddress, $0.count, flags) }) < 0 {
                let error = ZeroMQError.latest()
                if error.code == EAGAIN || error.code == EHOSTUNREACH { return }
                guard error.code == EINTR else { throw error }
            }
        }
    }

    /// Waits until a socket has a message, or a file descriptor can be read.
    ///
    /// - Parameter timeout: the longest wait in milliseconds; `nil` for no limit.
    /// - Returns: which of the sockets have a message.
    package static func wait(
        for sockets: [ZeroMQSocket],
        or descriptor: Int32,
        timeout: Int?
    ) throws(ZeroMQError) -> [Bool] {
        var items = sockets.map {
            zmq_pollitem_t(socket: $0.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        }
        items.append(zmq_pollitem_t(socket: nil, fd: descriptor, events: Int16(ZMQ_POLLIN), revents: 0))
        let found = zmq_poll(&items, Int32(clamping: items.count), timeout ?? -1)
        let error = found < 0 ? ZeroMQError.latest() : nil
        if let error, error.code != EINTR { throw error }
        return items.dropLast().map { error == nil && $0.revents & Int16(ZMQ_POLLIN) != 0 }
    }

    private static func set<Value: BitwiseCopyable>(
        _ option: Int32,
        _ value: Value,
        of handle: UnsafeMutableRawPointer
    ) throws(ZeroMQError) {
        let result = withUnsafeBytes(of: value) { zmq_setsockopt(handle, option, $0.baseAddress, $0.count) }
        guard result == 0 else { throw ZeroMQError.latest() }
    }

    private static func boundPort(of handle: UnsafeMutableRawPointer) throws(ZeroMQError) -> Int {
        var text = [UInt8](repeating: 0, count: 256)
        var size = text.count
        guard zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &text, &size) == 0 else { throw ZeroMQError.latest() }
        let endpoint = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        guard let port = endpoint.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw ZeroMQError(code: EINVAL)
        }
        return port
    }
}

/// A context of libzmq: the thread that reads and writes the connections of its sockets.
///
/// It ends when it and its sockets are released, after what their ``ZeroMQSocket/Options/lingerMilliseconds`` allow.
package final class ZeroMQContext {
    fileprivate let handle: UnsafeMutableRawPointer

    package init() throws(ZeroMQError) {
        guard let handle = zmq_ctx_new() else { throw ZeroMQError.latest() }
        self.handle = handle
    }

    deinit {
        while zmq_ctx_term(self.handle) != 0, zmq_errno() == EINTR {}
    }
}

/// A failure that libzmq reports.
package struct ZeroMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number of the system or of libzmq.
    package let code: Int32

    package init(code: Int32) {
        self.code = code
    }

    fileprivate static func latest() -> ZeroMQError { ZeroMQError(code: zmq_errno()) }

    package var description: String { zmq_strerror(self.code).map { String(cString: $0) } ?? "error \(self.code)" }
}
