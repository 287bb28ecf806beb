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

/// The provider connections that are open, so that they can be looked at and told to go away.
final class ConnectionRegistry: Sendable {
    /// How often idle connections are looked for, where they are.
    private static let idleInterval = TimeAmount.milliseconds(250)
    /// How long an idle connection has to end by itself after GOAWAY.
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

    /// Takes note of a connection, on its event loop.
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

    /// What the connections are, in the order in which they were accepted.
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

    // MARK: Answers that are held back

    /// Faults were taken away: the answers that they held back are given, on every connection.
    func answerReleased() {
        self.visit { $0.answerReleased() }
    }

    // MARK: Ending connections

    /// Tells one connection to go away; without a reason it is cut off.
    ///
    /// Returns whether there was one.
    func end(_ id: Int, reason: RejectionReason?) -> Bool {
        guard let entry = self.state.withLock({ $0.entries[id] }) else { return false }
        let connection = entry.connection
        entry.channel.eventLoop.execute { connection.value.end(reason) }
        return true
    }

    /// Tells all connections to go away; without a reason they are cut off.
    func endAll(reason: RejectionReason?) {
        self.visit { $0.end(reason) }
    }

    /// Tells the connections that use a key to go away.
    func endThose(using keyID: String, reason: RejectionReason) {
        self.visit { if $0.trust.token?.key.keyID == keyID { $0.end(reason) } }
    }

    /// Tells connections that had no request for too long to go away with `IdleTimeout`, from now on.
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
    /// One without requests is cut off as soon as it had the time to say goodbye: many clients keep idle connections that
    /// they do not look at, and TLS would wait for them.
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
    private static func cut(_ channel: any Channel) {
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

    /// Tells a provider connection to go away, or cuts it off.
    ///
    /// - Parameters:
    ///   - id: what connections() calls it.
    ///   - reason: what GOAWAY says; `nil` cuts the connection without a word.
    /// - Returns: whether there is such a connection.
    @discardableResult
    public func endConnection(_ id: Int, reason: RejectionReason?) -> Bool {
        self.core.connections.end(id, reason: reason)
    }

    /// Tells all provider connections to go away, or cuts them off.
    ///
    /// - Parameter reason: what GOAWAY says; `nil` cuts the connections without a word.
    public func endConnections(reason: RejectionReason?) {
        self.core.connections.endAll(reason: reason)
    }
}
