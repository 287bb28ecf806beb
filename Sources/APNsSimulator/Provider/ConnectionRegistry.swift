// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import NIOCore
import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
public import Foundation
#endif

/// The open provider connections, for listing and shutdown.
final class ConnectionRegistry: Sendable {
    /// How often idle connections are looked for, where they are.
    private static let idleInterval = TimeAmount.milliseconds(250)
    /// The time that a client has to close an idle connection after a GOAWAY.
    private static let goodbye = TimeAmount.milliseconds(250)

    private struct Entry {
        var connection: NIOLoopBound<ProviderConnection>
        var channel: any Channel
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var total = 0
        var idleWatch: RepeatedTask?
        var server: ProviderServer?
    }

    private let state = Mutex(State())

    /// How many connections are open, and how many there were in all.
    var counts: (open: Int, total: Int) { self.state.withLock { ($0.entries.count, $0.total) } }

    /// The server that accepts the connections, while it runs.
    var server: ProviderServer? {
        get { self.state.withLock { $0.server } }
        set { self.state.withLock { $0.server = newValue } }
    }

    /// Registers a connection, on its event loop.
    func add(_ connection: ProviderConnection, channel: any Channel) {
        let entry = Entry(connection: NIOLoopBound(connection, eventLoop: channel.eventLoop), channel: channel)
        let id = self.state.withLock { state in
            state.total += 1
            state.entries[state.total] = entry
            return state.total
        }
        connection.id = id
    }

    /// Forgets a connection that has closed.
    func remove(_ connection: ProviderConnection) {
        let id = connection.id
        self.state.withLock { _ = $0.entries.removeValue(forKey: id) }
    }

    // MARK: Looking at connections

    /// A description of the connections, in the order in which they were accepted.
    func snapshot() async -> [ProviderConnectionInfo] {
        var infos: [ProviderConnectionInfo] = []
        for future in self.visit({ $0.info }) { infos += (try? await future.get()) ?? [] }
        return infos.sorted { $0.id < $1.id }
    }

    /// Does something to every connection, on its event loop.
    ///
    /// One visit of an event loop serves all its connections.
    @discardableResult
    private func visit<Value: Sendable>(
        _ body: @escaping @Sendable (ProviderConnection) -> Value
    ) -> [EventLoopFuture<[Value]>] {
        let entries = self.state.withLock { Array($0.entries.values) }
        return Dictionary(grouping: entries) { ObjectIdentifier($0.channel.eventLoop) }.values.compactMap { group in
            let connections = group.map(\.connection)
            return group.first?.channel.eventLoop.submit { connections.map { body($0.value) } }
        }
    }

    // MARK: Held responses

    /// Sends the responses whose faults were removed, on every connection.
    func answerReleased() {
        self.visit { $0.answerReleased() }
    }

    // MARK: Ending connections

    /// Sends one connection a GOAWAY; without a reason the connection is closed immediately.
    ///
    /// Returns whether the connection exists.
    func end(_ id: Int, reason: RejectionReason?) -> Bool {
        guard let entry = self.state.withLock({ $0.entries[id] }) else { return false }
        let connection = entry.connection
        entry.channel.eventLoop.execute { connection.value.end(reason) }
        return true
    }

    /// Sends all connections a GOAWAY; without a reason they are closed immediately.
    func endAll(reason: RejectionReason?) {
        self.visit { $0.end(reason) }
    }

    /// Sends the connections that use a key a GOAWAY.
    func endThose(using keyID: String, reason: RejectionReason) {
        self.visit { if $0.trust.token?.key.keyID == keyID { $0.end(reason) } }
    }

    /// Starts sending a GOAWAY with `IdleTimeout` to connections without a request for too long.
    func beginIdleWatch(_ core: SimulatorCore, on eventLoop: any EventLoop) {
        guard let timeout = core.configuration.switches.connections.idleTimeout else { return }
        let interval = Self.idleInterval
        let watch = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] _ in
            let now = core.now
            self?.visit { if now - $0.activeAt >= timeout { $0.end(.idleTimeout) } }
        }
        self.state.withLock { $0.idleWatch = watch }
    }

    /// Says GOAWAY with `Shutdown` on all connections, and cuts those off that are still there after `grace`.
    ///
    /// One without requests is cut off as soon as it had the time to say goodbye: many clients keep idle connections
    /// that they do not look at, and TLS would wait for them.
    func shutDown(grace: TimeAmount) async {
        let (entries, watch) = self.state.withLock { (Array($0.entries.values), $0.idleWatch) }
        watch?.cancel()
        let deadlines = entries.map { entry in
            let (channel, connection) = (entry.channel, entry.connection)
            channel.eventLoop.execute { connection.value.goAway(.shutdown) }
            return [
                channel.eventLoop.scheduleTask(in: min(Self.goodbye, grace)) {
                    if connection.value.isIdle { Self.cut(channel) }
                },
                channel.eventLoop.scheduleTask(in: grace) { Self.cut(channel) },
            ]
        }
        for (entry, deadlines) in zip(entries, deadlines) {
            try? await entry.channel.closeFuture.get()
            for deadline in deadlines { deadline.cancel() }
        }
    }

    /// Closes a connection below TLS, on its event loop.
    static func cut(_ channel: any Channel) {
        // Closing from TLS's own place passes it by.
        let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        if let tls { tls.close(promise: nil) } else { channel.close(promise: nil) }
    }
}

/// Provider connections, from Swift.
extension APNsSimulator {
    /// The provider connections that are open, in the order in which they were accepted.
    public func connections() async -> [ProviderConnectionInfo] {
        await self.core.connections.snapshot()
    }

    /// Sends a provider connection a GOAWAY, or closes it.
    ///
    /// - Parameters:
    ///   - id: its ID in `connections()`.
    ///   - reason: the GOAWAY reason; `nil` closes the connection without a GOAWAY.
    /// - Returns: whether the connection exists.
    @discardableResult
    public func endConnection(_ id: Int, reason: RejectionReason?) -> Bool {
        self.core.connections.end(id, reason: reason)
    }

    /// Sends all provider connections a GOAWAY, or closes them.
    ///
    /// - Parameter reason: the GOAWAY reason; `nil` closes the connections without a GOAWAY.
    public func endConnections(reason: RejectionReason?) {
        self.core.connections.endAll(reason: reason)
    }
}
