// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import NIOCore
import Synchronization

/// How long clients may take, and how many connections they may have.
package struct ConnectionLimits: Hashable, Sendable {
    /// How many connections may be open at once, 1 or more.
    ///
    /// Default: 10,000. Others wait in the system's queue until one is closed. It has to be less than the process may have
    /// files open: a connection that the system cannot open ends the server.
    package var maximum = 10_000

    /// How many connections one address may have open: an IPv4 address, or the first 64 bits of an IPv6 address.
    ///
    /// Default: `nil`, half of ``maximum``. Loopback addresses have no limit: a proxy on the same machine uses them.
    package var perAddress: Int?

    /// How long a connection may be open before a request on it is complete up to its body.
    ///
    /// Default: 75 seconds. Clients keep a connection for the next request for a minute as a rule: one that is closed
    /// before that may be closed just when it is used again.
    package var idle: Duration = .seconds(75)

    /// How long a client may take for a body, whatever its size, not counting the time in which the server does not read.
    ///
    /// Default: 5 minutes.
    package var body: Duration = .seconds(300)

    /// How long a body may come slower than ``bodyBytesPerSecond``.
    ///
    /// Default: 10 seconds.
    package var slowBody: Duration = .seconds(10)

    /// How fast a body has to come after ``slowBody``, on average.
    ///
    /// Default: 4096 bytes a second.
    package var bodyBytesPerSecond = 4096

    /// How long a client that streams lines may send nothing.
    ///
    /// Default: 5 minutes.
    package var idleStream: Duration = .seconds(300)

    /// How long a client may leave its answers unread, when more of them waits than the system holds.
    ///
    /// Default: 1 minute.
    package var unreadAnswer: Duration = .seconds(60)

    /// How much memory the bodies of all requests may take up that are larger than 64 KiB, in bytes.
    ///
    /// Default: 256 MiB. A request that finds no room is answered 503.
    package var bodyBytes = 256 << 20

    package init() {}
}

/// The connections that are open: keeps room for clients with a valid key, and for probes.
///
/// When seven of eight places are taken, each new connection closes the oldest one that has never brought a valid key. So
/// clients without a key cannot keep others out, however slow or many they are.
final class ClientConnections: Sendable {
    private struct State {
        /// By the order in which they were opened.
        var unproven: [UInt64: any Channel] = [:]
        var numbers: [ObjectIdentifier: UInt64] = [:]
        var byAddress: [ClientAddress: Int] = [:]
        var count = 0
        var next: UInt64 = 0
        var oldest: UInt64 = 0
        var warnedAt: ContinuousClock.Instant?
    }

    let limits: ConnectionLimits
    private let logger: Logger
    private let state = Mutex(State())

    init(_ limits: ConnectionLimits, logger: Logger) {
        self.limits = limits
        self.logger = logger
    }

    /// How many connections an address may have.
    private var perAddress: Int { max(1, self.limits.perAddress ?? self.limits.maximum / 2) }

    /// Takes note of a new connection, and may close an older one in its favor.
    ///
    /// - Returns: whether it may stay.
    func opened(_ channel: any Channel, from address: ClientAddress?) -> Bool {
        let (mayStay, evicted, warns) = self.state.withLock { state -> (Bool, (any Channel)?, Bool) in
            if let address, !address.isLoopback {
                let count = state.byAddress[address, default: 0]
                guard count < self.perAddress else { return (false, nil, Self.warnsNow(&state)) }
                state.byAddress[address] = count + 1
            }
            state.count += 1
            state.numbers[ObjectIdentifier(channel)] = state.next
            state.unproven[state.next] = channel
            state.next += 1
            // An eighth of all places is for connections that have not shown a key yet; they give way only beyond that.
            let reserve = max(1, self.limits.maximum / 8)
            guard
                state.count >= self.limits.maximum
                    || (state.count > self.limits.maximum - reserve && state.unproven.count > reserve)
            else { return (true, nil, false) }
            while state.oldest < state.next, state.unproven[state.oldest] == nil { state.oldest += 1 }
            // The newest one is spared: it has had no time to show a key.
            guard state.oldest < state.next - 1 else { return (true, nil, false) }
            return (true, state.unproven.removeValue(forKey: state.oldest), Self.warnsNow(&state))
        }
        evicted?.close(promise: nil)
        if warns {
            self.logger.warning(
                mayStay
                    ? "Almost all connections are taken; the oldest ones without a valid key are closed"
                    : "An address has too many connections open; others of it are refused",
                metadata: ["address": "\(address?.description ?? "unknown")"]
            )
        }
        return mayStay
    }

    /// A request with a valid key came over the connection.
    func proved(_ channel: any Channel) {
        self.state.withLock { state in
            guard let number = state.numbers[ObjectIdentifier(channel)] else { return }
            state.unproven[number] = nil
        }
    }

    /// Forgets a connection that may have stayed.
    func closed(_ channel: any Channel, from address: ClientAddress?) {
        self.state.withLock { state in
            guard let number = state.numbers.removeValue(forKey: ObjectIdentifier(channel)) else { return }
            state.unproven[number] = nil
            state.count -= 1
            guard let address, !address.isLoopback, let count = state.byAddress[address] else { return }
            state.byAddress[address] = count > 1 ? count - 1 : nil
        }
    }

    /// At most once in a minute.
    private static func warnsNow(_ state: inout State) -> Bool {
        let now = ContinuousClock.now
        if let last = state.warnedAt, now - last < .seconds(60) { return false }
        state.warnedAt = now
        return true
    }
}

/// Whom a connection comes from, as far as limits are concerned: an IPv4 address, or the first 64 bits of an IPv6 address.
struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    let description: String
    let isLoopback: Bool

    /// `nil` for what is no IP address.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        // IPv4 over an IPv6 socket (RFC 4291, section 2.5.5.2).
        let mapped = "::ffff:"
        let plain =
            text.lowercased().hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text
        if plain.contains(".") {
            self.description = plain
            self.isLoopback = plain.hasPrefix("127.")
        } else if let address {
            // Behind family, port and flow information, 8 bytes in all.
            let prefix = address.withSockAddr { start, size in
                Array(UnsafeRawBufferPointer(start: start, count: size).dropFirst(8).prefix(8))
            }
            self.description =
                prefix.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined() + "/64"
            self.isLoopback = plain == "::1"
        } else {
            return nil
        }
    }
}

/// The memory that the bodies of all requests share.
final class BodyMemory: Sendable {
    /// How much of each body is not counted: small requests are served however much the large ones take up.
    ///
    /// Unit: bytes.
    static let free = 64 << 10

    private let limit: Int
    private let taken = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// What one request takes up, until it is forgotten.
    final class Share: Sendable {
        private let memory: BodyMemory
        private let bytes = Atomic(0)

        init(of memory: BodyMemory) {
            self.memory = memory
        }

        /// Takes room for so many bytes more.
        ///
        /// - Returns: whether there was room.
        func take(_ count: Int) -> Bool {
            let total = self.bytes.add(count, ordering: .relaxed).newValue
            let counted = max(0, total - BodyMemory.free) - max(0, total - count - BodyMemory.free)
            guard counted > 0 else { return true }
            return self.memory.taken.add(counted, ordering: .relaxed).newValue <= self.memory.limit
        }

        deinit {
            let counted = max(0, self.bytes.load(ordering: .relaxed) - BodyMemory.free)
            if counted > 0 { self.memory.taken.subtract(counted, ordering: .relaxed) }
        }
    }
}
