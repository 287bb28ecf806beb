// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Logging
import NIOCore
import PushModel
import Synchronization

/// How long clients may take, and how many connections they may have.
package struct ConnectionLimits: Hashable, Sendable {
    /// How many connections may be open at once, 1 or more.
    ///
    /// Default: 10,000. Others wait in the system's queue until one is closed. It has to be less than the process may
    /// have files open: a connection that the system cannot open ends the server.
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

    /// The maximum time for a body of any size, without the time in which the server does not read.
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

    /// The maximum memory for the bodies of all requests, in bytes.
    ///
    /// Default: 256 MiB, of which a quarter is for the first 64 KiB of each body. A request without memory receives
    /// 503.
    package var bodyBytes = 256 << 20

    /// The proxies that tell the addresses of their clients; they have no limit of their own.
    package var proxies = TrustedProxies()

    package init() {}
}

/// The open connections: keeps some free for new clients, and shares the others among the keys.
///
/// Seven eighths of all connections can be protected: those that have brought a valid key. When all of these are taken,
/// a key with fewer of them takes one from the key with the most: of up to 100, the one that has been idle longest,
/// otherwise the oldest. Keys with the scope `admin` always take one, and never lose one. When more than an eighth of
/// all connections are not protected, each new connection closes the oldest of them. So neither clients without a key
/// nor those that share a key can keep others out.
final class ClientConnections: Sendable {
    /// One open connection.
    final class Connection: Sendable {
        let channel: any Channel

        /// Nanoseconds of `NIODeadline`; the highest number while a request is in progress.
        private let idleNanoseconds = Atomic(NIODeadline.now().uptimeNanoseconds)

        fileprivate init(_ channel: any Channel) {
            self.channel = channel
        }

        /// Since when no request is in progress; `nil` while one is.
        var idleSince: NIODeadline? {
            get {
                let nanoseconds = self.idleNanoseconds.load(ordering: .relaxed)
                return nanoseconds == .max ? nil : NIODeadline.uptimeNanoseconds(nanoseconds)
            }
            set { self.idleNanoseconds.store(newValue?.uptimeNanoseconds ?? .max, ordering: .relaxed) }
        }
    }

    private enum Group {
        case unprotected
        case ofAdmin
        case ofKey(APIKeyID)
    }

    private struct Entry {
        let connection: Connection
        /// The order in its group.
        let number: UInt64
        var group = Group.unprotected

        /// The address that it counts for; `nil` for none.
        var address: ClientAddress?

        /// The address of the client that a proxy has told.
        var client: NetworkAddress?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var unprotected: [UInt64: Connection] = [:]
        /// The protected connections of each key without the scope `admin`.
        var byKey: [APIKeyID: [UInt64: Connection]] = [:]
        var protectedCount = 0
        var byAddress: [ClientAddress: Int] = [:]
        var next: UInt64 = 0
        var oldest: UInt64 = 0

        mutating func addUnprotected(_ connection: Connection) {
            let id = ObjectIdentifier(connection.channel)
            var entry = Entry(connection: connection, number: self.next)
            (entry.address, entry.client) = (self.entries[id]?.address, self.entries[id]?.client)
            self.entries[id] = entry
            self.unprotected[self.next] = connection
            self.next += 1
        }

        /// Counts a connection for an address.
        ///
        /// - Returns: `false` if the address has as many as it may.
        mutating func count(_ connection: Connection, for address: ClientAddress?, limit: Int) -> Bool {
            guard let address, !address.isLoopback else { return true }
            let count = self.byAddress[address, default: 0]
            guard count < limit else { return false }
            self.byAddress[address] = count + 1
            self.entries[ObjectIdentifier(connection.channel)]?.address = address
            return true
        }

        mutating func leaveGroup(_ entry: Entry) {
            switch entry.group {
            case .unprotected:
                self.unprotected[entry.number] = nil
                return
            case .ofAdmin: break
            case .ofKey(let key):
                self.byKey[key]?[entry.number] = nil
                if self.byKey[key]?.isEmpty == true { self.byKey[key] = nil }
            }
            self.protectedCount -= 1
        }

        mutating func remove(_ connection: Connection) {
            guard let entry = self.entries.removeValue(forKey: ObjectIdentifier(connection.channel)) else { return }
            self.leaveGroup(entry)
            guard let address = entry.address, let count = self.byAddress[address] else { return }
            self.byAddress[address] = count > 1 ? count - 1 : nil
        }

        /// How many connections of a key are compared, because each request on an unprotected connection may do that.
        static let compared = 100

        /// Ends the protection of one connection in favor of a connection of `key`.
        ///
        /// - Returns: `false` when no connection has to give way to it.
        mutating func endProtection(inFavorOf key: APIKey) -> Bool {
            guard let held = self.byKey.values.max(by: { $0.count < $1.count }) else { return false }
            let own = self.byKey[key.id]?.count ?? 0
            let candidates = held.prefix(Self.compared)
            let idle = candidates.compactMap { candidate in candidate.value.idleSince.map { (candidate.value, $0) } }
            let longestIdle = idle.min { $0.1 < $1.1 }?.0
            // A key that holds as many would take it back at once.
            let mayInterrupt = key.scopes.contains(.admin) || own + 1 < held.count
            let oldest = mayInterrupt ? candidates.min { $0.key < $1.key }?.value : nil
            guard let connection = longestIdle ?? oldest,
                let entry = self.entries[ObjectIdentifier(connection.channel)]
            else { return false }
            self.leaveGroup(entry)
            self.addUnprotected(connection)
            return true
        }
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

    /// How many connections are kept for those that are not protected.
    private var reserve: Int { max(1, self.limits.maximum / 8) }

    /// Records a new connection, and may close an older one in its favor.
    ///
    /// - Returns: the connection; `nil` when it must be closed.
    func opened(_ channel: any Channel, from address: ClientAddress?) -> Connection? {
        let connection = Connection(channel)
        let (isAccepted, evicted) = self.state.withLock { state -> (Bool, Connection?) in
            state.addUnprotected(connection)
            guard state.count(connection, for: address, limit: self.perAddress) else {
                state.remove(connection)
                return (false, nil)
            }
            let count = state.entries.count
            guard
                count >= self.limits.maximum
                    || (count > self.limits.maximum - self.reserve && state.unprotected.count > self.reserve)
            else { return (true, nil) }
            while state.oldest < state.next, state.unprotected[state.oldest] == nil { state.oldest += 1 }
            // Keep the latest one: it has had no time to send a key.
            guard state.oldest < state.next - 1 else { return (true, nil) }
            return (true, state.unprotected.removeValue(forKey: state.oldest))
        }
        evicted?.channel.close(promise: nil)
        if evicted != nil {
            self.logger.warning(
                "Almost all connections are taken; closing the oldest unprotected ones",
                metadata: ["address": "\(address?.description ?? "unknown")"]
            )
        }
        if !isAccepted { self.logRefusal(of: address) }
        return isAccepted ? connection : nil
    }

    private func logRefusal(of address: ClientAddress?) {
        self.logger.warning(
            "An address has too many connections open; others of it are refused",
            metadata: ["address": "\(address?.description ?? "unknown")"]
        )
    }

    /// Records the client of a connection, which its proxy has told.
    ///
    /// - Returns: `false` when the connection must be closed.
    func identified(_ connection: Connection, as client: NetworkAddress) -> Bool {
        let isAccepted = self.state.withLock { state in
            state.entries[ObjectIdentifier(connection.channel)]?.client = client
            return state.count(connection, for: ClientAddress(client), limit: self.perAddress)
        }
        if !isAccepted { self.logRefusal(of: ClientAddress(client)) }
        return isAccepted
    }

    /// The client of a request, as far as trusted proxies tell.
    func client(of headers: HTTPFields, on channel: any Channel) -> NetworkAddress? {
        let told = self.state.withLock { $0.entries[ObjectIdentifier(channel)]?.client }
        return (told ?? NetworkAddress(channel.remoteAddress)).map { self.limits.proxies.client(of: headers, from: $0) }
    }

    /// Protects a connection over which a request with a valid key came, if it may be protected.
    func proved(_ channel: any Channel, by key: APIKey) {
        self.state.withLock { state in
            // A connection that was protected before, or is being closed for another one, is not in the list.
            guard var entry = state.entries[ObjectIdentifier(channel)], state.unprotected[entry.number] != nil
            else { return }
            let isAdmin = key.scopes.contains(.admin)
            if state.protectedCount >= self.limits.maximum - self.reserve {
                guard state.endProtection(inFavorOf: key) || isAdmin else { return }
            }
            state.leaveGroup(entry)
            entry.group = isAdmin ? .ofAdmin : .ofKey(key.id)
            state.entries[ObjectIdentifier(channel)] = entry
            state.protectedCount += 1
            if !isAdmin { state.byKey[key.id, default: [:]][entry.number] = entry.connection }
        }
    }

    /// Removes a connection that was accepted.
    func closed(_ connection: Connection) {
        self.state.withLock { $0.remove(connection) }
    }
}
