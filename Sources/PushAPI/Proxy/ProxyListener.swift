// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Synchronization
import ZeroMQ

/// Messages that were received and are not stored yet, in their order.
struct ProxyChunk: Sendable {
    /// The messages, end to end.
    private(set) var bytes: [UInt8] = []

    /// Where each message ends.
    private var ends: [Int] = []

    /// The peers that wait for a response, by the index of their message.
    private(set) var peers: [Int: [UInt8]] = [:]

    var count: Int { self.ends.count }

    var isEmpty: Bool { self.ends.isEmpty }

    /// Where a message is in ``bytes``.
    func range(of index: Int) -> Range<Int> { (index == 0 ? 0 : self.ends[index - 1])..<self.ends[index] }

    /// Adds a message; `peer` waits for a response.
    mutating func append(_ message: some Sequence<UInt8>, from peer: [UInt8]? = nil) {
        self.bytes.append(contentsOf: message)
        self.peers[self.count] = peer
        self.ends.append(self.bytes.count)
    }
}

/// The sockets of the proxy protocol, which one thread owns, and the messages on their way to and from it.
///
/// `@unchecked Sendable`: only the thread in ``run()`` uses the sockets, after `init` and before `deinit`; a lock guards
/// the rest.
final class ProxyListener: @unchecked Sendable {
    /// A response to a request.
    struct Reply: Sendable {
        let peer: [UInt8]
        let body: [UInt8]
    }

    /// A request for the unregistered tokens of an app, with its JSON.
    struct FeedbackRequest: Sendable {
        let peer: [UInt8]
        let body: [UInt8]
    }

    private enum Phase {
        case running

        /// Nothing more is read; what was received is handed over.
        case stopping

        case closed
    }

    private struct Shared {
        var phase = Phase.running

        /// The chunk that is to be stored next; another one is gathered meanwhile.
        var chunk: ProxyChunk?
        var replies: [Reply] = []
    }

    /// The first byte of a request for the port of messages without a response.
    private static let portCommand: UInt8 = 1

    /// The first byte of a request for the unregistered tokens.
    private static let feedbackCommand: UInt8 = 3

    /// How many messages are read from one socket before the other has its turn.
    private static let turn = 500

    /// Signals that there is a chunk; ends when there will be no more.
    let chunks: AsyncStream<Void>

    /// The requests for unregistered tokens; at most `maximumRequests`.
    let feedback: AsyncStream<FeedbackRequest>

    private let configuration: ProxyConfiguration
    private let router: ZeroMQSocket
    private let pull: ZeroMQSocket
    private let tellChunk: AsyncStream<Void>.Continuation
    private let tellFeedback: AsyncStream<FeedbackRequest>.Continuation
    private let wakeUps: WakeUpPipe
    private let shared = Mutex(Shared())

    // Of the thread.
    private var gathering = ProxyChunk()
    private var gatheringSince = ContinuousClock.now
    private var waitingRequests = 0

    /// Opens both sockets.
    ///
    /// - Throws: ``PushAPIError`` `.addressInUse` or `.addressUnavailable`.
    init(_ configuration: ProxyConfiguration) throws {
        self.configuration = configuration
        self.wakeUps = try WakeUpPipe()
        (self.chunks, self.tellChunk) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.feedback, self.tellFeedback) = AsyncStream.makeStream()
        let context = try ZeroMQContext()
        func open(_ kind: ZeroMQSocket.Kind, port: Int, lingerMilliseconds: Int) throws -> ZeroMQSocket {
            let options = ZeroMQSocket.Options(
                maximumFrameBytes: configuration.maximumMessageBytes,
                queueLimit: configuration.queueLimit,
                lingerMilliseconds: lingerMilliseconds
            )
            do throws(ZeroMQError) {
                return try ZeroMQSocket(kind, in: context, host: configuration.host, port: port, options: options)
            } catch {
                throw PushAPIError(error, host: configuration.host, port: port)
            }
        }
        // The last responses are still written.
        self.router = try open(.router, port: configuration.port, lingerMilliseconds: 250)
        let next = configuration.port == 0 ? 0 : configuration.port + 1
        self.pull = try open(.pull, port: configuration.pullPort ?? next, lingerMilliseconds: 0)
    }

    /// The port for requests.
    var port: Int { self.router.port }

    /// The port for messages without a response.
    var pullPort: Int { self.pull.port }

    /// Whether nothing more is read.
    var isStopping: Bool { self.shared.withLock { $0.phase != .running } }

    /// Stops reading, and hands over what was received.
    func stop() {
        self.shared.withLock { if $0.phase == .running { $0.phase = .stopping } }
        self.wakeUps.signal()
    }

    /// Sends the last responses and ends ``run()``.
    func close() {
        self.shared.withLock { $0.phase = .closed }
        self.wakeUps.signal()
    }

    /// Takes the chunk that is to be stored.
    func takeChunk() -> ProxyChunk? {
        let chunk = self.shared.withLock { shared in
            defer { shared.chunk = nil }
            return shared.chunk
        }
        // Now another one can be handed over.
        if chunk != nil { self.wakeUps.signal() }
        return chunk
    }

    func send(_ replies: [Reply]) {
        guard !replies.isEmpty else { return }
        self.shared.withLock { $0.replies += replies }
        self.wakeUps.signal()
    }
}

extension ProxyListener {
    /// Serves both sockets until ``close()``; blocks its thread.
    ///
    /// - Throws: ``ZeroMQError`` if libzmq fails.
    func run() throws(ZeroMQError) {
        defer {
            self.tellChunk.finish()
            self.tellFeedback.finish()
            self.router.close()
            self.pull.close()
        }
        var isDrained = false
        while true {
            let (phase, replies) = self.shared.withLock { shared in
                defer { shared.replies = [] }
                return (shared.phase, shared.replies)
            }
            for reply in replies {
                self.waitingRequests -= 1
                try self.router.send([reply.peer, [], reply.body])
            }
            guard phase != .closed else { return }
            if phase == .stopping, !isDrained {
                isDrained = true
                // Once: clients may send without end.
                try self.receivePushes(atMost: self.configuration.maximumPushes)
                self.tellFeedback.finish()
            }
            let isHandedOver = self.handOver(regardless: isDrained)
            if isDrained, isHandedOver { self.tellChunk.finish() }
            try self.receive(stopped: isDrained)
        }
    }

    /// Hands the gathered messages over when they are due and the chunk before them was taken.
    ///
    /// - Returns: whether there are none left.
    private func handOver(regardless: Bool) -> Bool {
        guard !self.gathering.isEmpty else { return true }
        guard regardless || self.isFull || self.gatheringSince.duration(to: .now) >= self.configuration.gatherTime
        else {
            return false
        }
        let isTaken = self.shared.withLock { shared in
            guard shared.chunk == nil else { return false }
            shared.chunk = self.gathering
            return true
        }
        guard isTaken else { return false }
        self.gathering = ProxyChunk()
        self.tellChunk.yield()
        return true
    }

    private var isFull: Bool {
        self.gathering.count >= self.configuration.maximumPushes
            || self.gathering.bytes.count >= self.configuration.maximumChunkBytes
    }

    private var takesRequests: Bool {
        self.waitingRequests < self.configuration.maximumRequests
            && self.gathering.bytes.count < self.configuration.maximumChunkBytes
    }

    /// Waits for messages, a wake-up, or the time at which the gathered messages are due; then reads.
    private func receive(stopped: Bool) throws(ZeroMQError) {
        let takesRequests = !stopped && self.takesRequests
        let takesPushes = !stopped && !self.isFull
        let sockets = (takesRequests ? [self.router] : []) + (takesPushes ? [self.pull] : [])
        let ready = try ZeroMQSocket.wait(for: sockets, or: self.wakeUps.reader, timeout: self.timeout)
        self.wakeUps.clear()
        if takesRequests, ready.first == true { try self.receiveRequests() }
        if takesPushes, ready.last == true { try self.receivePushes(atMost: Self.turn) }
    }

    /// The time until the gathered messages are due, in milliseconds; `nil` if only an event changes anything.
    private var timeout: Int? {
        let isIdle = self.shared.withLock { $0.chunk == nil }
        guard !self.gathering.isEmpty, isIdle else { return nil }
        let rest = self.configuration.gatherTime - self.gatheringSince.duration(to: .now)
        return Int(clamping: max(.zero, rest).wholeMillisecondsRoundedUp)
    }

    private func gather(_ message: some Sequence<UInt8>, from peer: [UInt8]? = nil) {
        if self.gathering.isEmpty { self.gatheringSince = .now }
        self.gathering.append(message, from: peer)
    }

    private func receivePushes(atMost limit: Int) throws(ZeroMQError) {
        for _ in 0..<limit where !self.isFull {
            let hasMore = try self.pull.receive { frame, hasMore in
                // A message of several frames is refused as an empty one.
                if hasMore { self.gather([]) } else { self.gather(frame) }
                return hasMore
            }
            guard let hasMore else { return }
            if hasMore { while try self.pull.receive({ $1 }) == true {} }
        }
    }

    private func receiveRequests() throws(ZeroMQError) {
        for _ in 0..<Self.turn where self.takesRequests {
            // The address of the peer and an empty frame come before the message.
            var (peer, message): ([UInt8], [UInt8]) = ([], [])
            var (count, isRequest) = (0, false)
            var hasMore: Bool?
            repeat {
                hasMore = try self.router.receive { frame, hasMore in
                    switch count {
                    case 0: peer = Array(frame)
                    case 1: isRequest = frame.isEmpty
                    case 2: message = Array(frame)
                    default: break
                    }
                    count += 1
                    return hasMore
                }
            } while hasMore == true
            guard count > 0 else { return }
            if isRequest {
                try self.take(count == 3 ? message : [], from: peer)
            } else {
                // A peer of another kind, which expects no response.
                self.gather([])
            }
        }
    }

    private func take(_ message: [UInt8], from peer: [UInt8]) throws(ZeroMQError) {
        switch message.first {
        case Self.portCommand: try self.router.send([peer, [], Array(String(self.pullPort).utf8)])
        case Self.feedbackCommand:
            self.waitingRequests += 1
            self.tellFeedback.yield(FeedbackRequest(peer: peer, body: Array(message.dropFirst())))
        default:
            self.waitingRequests += 1
            self.gather(message, from: peer)
        }
    }
}

/// A pipe by which other threads wake the one that waits for sockets.
private final class WakeUpPipe: Sendable {
    /// The end that can be read after ``signal()``.
    let reader: Int32
    private let writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        (self.reader, self.writer) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        _ = Foundation.close(self.reader)
        _ = Foundation.close(self.writer)
    }

    /// Wakes the thread; a full pipe wakes it anyway.
    func signal() {
        var byte: UInt8 = 0
        _ = write(self.writer, &byte, 1)
    }

    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(self.reader, &bytes, bytes.count) == bytes.count {}
    }
}

extension Duration {
    fileprivate var wholeMillisecondsRoundedUp: Int64 {
        let parts = self.components
        return parts.seconds * 1000 + (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}

extension PushAPIError {
    fileprivate init(_ error: ZeroMQError, host: String, port: Int) {
        let place = "\(host):\(port)"
        if error.code == EADDRINUSE {
            self.init(
                .addressInUse,
                "Another process listens on \(place). Stop it, or choose other ports: --proxy-port, --proxy-pull-port.",
                cause: error
            )
        } else {
            self.init(
                .addressUnavailable,
                "Cannot listen on \(place) (\(error)). Choose an IP address of this machine and ports from 1024 up: "
                    + "--proxy-host, --proxy-port, --proxy-pull-port.",
                cause: error
            )
        }
    }
}
