// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Logging
public import NIOCore
public import ServiceLifecycle
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends notifications to APNs over pools of HTTP/2 connections, one pool for each destination and lane.
///
/// Connections are opened when there is work, and run on the event loops of their lane's group. ``run()`` is the
/// client's lifetime: it waits for a graceful shutdown or cancellation, then waits for the responses in flight and
/// closes every connection. A client whose `run()` has ended fails everything with `shuttingDown`.
public final class APNsClient: Service {
    private struct State {
        var pools: PoolTable
        var isShutDown = false
    }

    /// The result of a request for a pool.
    private enum Access {
        /// The pool of the caller's destination, which it must stop using.
        case pool(ConnectionPool)
        case none(SendFailure)
    }

    private let configuration: APNsClientConfiguration
    private let group: any EventLoopGroup
    private let bulkGroup: any EventLoopGroup
    private let logger: Logger
    private let metrics: any APNsClientMetrics
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// Creates a client without connections.
    ///
    /// - Parameters:
    ///   - configuration: limits and times; the defaults suit Apple's servers.
    ///   - eventLoopGroup: runs the connections. Not shut down by the client.
    ///   - bulkEventLoopGroup: runs the connections for bulk work, so that these can have separate threads with a lower
    ///     priority. Not shut down by the client. Default: `eventLoopGroup`.
    ///   - logger: logs connections, never tokens or payloads.
    ///   - metrics: receives the counts of connections and responses. Default: none.
    ///   - now: returns the current time, which provider tokens contain.
    public init(
        configuration: APNsClientConfiguration = APNsClientConfiguration(),
        eventLoopGroup: any EventLoopGroup,
        bulkEventLoopGroup: (any EventLoopGroup)? = nil,
        logger: Logger,
        metrics: any APNsClientMetrics = NoOpMetrics(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        self.group = eventLoopGroup
        self.bulkGroup = bulkEventLoopGroup ?? eventLoopGroup
        self.logger = logger
        self.metrics = metrics
        self.now = now
        self.state = Mutex(State(pools: PoolTable(maximum: configuration.maximumDestinations)))
    }

    /// Waits for shutdown, then drains: queued targets fail with `shuttingDown`; those in flight are awaited for at
    /// most the drain timeout.
    ///
    /// Then it closes the connections, even if servers do not close them. Targets without a response fail with
    /// `connectionLost`, because APNs may have accepted them. They never fail with `shuttingDown`, even if they were
    /// lost earlier and queued for a retry.
    ///
    /// Until the shutdown, it closes connections to unused destinations.
    public func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.retireIdlePools() }
            try? await gracefulShutdown()
            group.cancelAll()
        }
        let pools = self.state.withLock { state in
            state.isShutDown = true
            return state.pools.all
        }
        await withDiscardingTaskGroup { group in
            for pool in pools { group.addTask { await pool.drain() } }
        }
    }

    /// Looks for idle pools four times in the time that a pool may be idle, until cancelled.
    private func retireIdlePools() async {
        let timeout = self.configuration.destinationIdleTimeout
        while (try? await Task.sleep(for: max(timeout / 4, .milliseconds(1)))) != nil {
            let idle = self.state.withLock { $0.pools.removeIdle(for: TimeAmount(timeout), now: .now()) }
            for pool in idle { pool.retire() }
        }
    }

    /// Sends one notification to many devices.
    ///
    /// It returns when every target has an outcome, about half a second after the deadline at the latest. If the
    /// caller's task is cancelled, unsent targets fail with `cancelled`, and those in flight are awaited.
    /// - Parameters:
    ///   - batch: the notification and its targets; any number.
    ///   - destination: the server and the credential.
    ///   - lane: urgent work never waits for bulk work.
    ///   - deadline: how long each target may be queued and in flight. Default: 60 seconds.
    /// - Returns: an outcome for each target, in the order of the targets.
    public func send(
        _ batch: SendBatch,
        to destination: APNsDestination,
        lane: SendLane = .urgent,
        deadline: Duration = .seconds(60)
    ) async -> [SendOutcome] {
        let count = batch.tokens.count
        guard count > 0 else { return [] }
        let pool: ConnectionPool
        switch self.access(to: destination, in: lane) {
        case .pool(let found): pool = found
        case .none(let failure): return Array(repeating: .failed(failure), count: count)
        }
        defer { pool.endUse() }
        // Otherwise a connection could take targets before the cancellation removes them from the queue.
        if Task.isCancelled { return Array(repeating: .failed(ConnectionPool.cancelled), count: count) }
        let due = NIODeadline.now() + TimeAmount(deadline)
        if let failure = await pool.admit(count, deadline: due) {
            return Array(repeating: .failed(failure), count: count)
        }
        let waiting = Mutex<SendOperation?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = SendOperation(batch, deadline: due) { continuation.resume(returning: $0) }
                waiting.withLock { $0 = job }
                pool.enqueue(job)
                if Task.isCancelled { pool.cancel(job) }
            }
        } onCancel: {
            if let job = waiting.withLock({ $0 }) { pool.cancel(job) }
        }
    }

    /// Sends batches to one destination, and returns immediately.
    ///
    /// It wakes the connections once for all of them. A batch beyond the capacity of the queue fails with `notSent`.
    public func submit(_ submissions: [Submission], to destination: APNsDestination, lane: SendLane = .urgent) {
        switch self.access(to: destination, in: lane) {
        case .pool(let pool):
            pool.submit(submissions)
            pool.endUse()
        case .none(let failure): for submission in submissions { submission.fail(with: failure) }
        }
    }

    /// Sends one notification to one device.
    ///
    /// - Parameters:
    ///   - headers: topic, push type and the other headers of the notification.
    ///   - payload: the body.
    ///   - token: the device.
    ///   - apnsID: the notification's ID; the same one on every retry. `nil` lets APNs choose.
    ///   - destination: the server and the credential.
    ///   - lane: urgent work never waits for bulk work.
    ///   - deadline: how long it may be queued and in flight. Default: 60 seconds.
    /// - Returns: the outcome.
    public func send(
        _ headers: NotificationHeaders,
        payload: APNsPayload,
        token: DeviceToken,
        apnsID: APNsID? = nil,
        to destination: APNsDestination,
        lane: SendLane = .urgent,
        deadline: Duration = .seconds(60)
    ) async -> SendOutcome {
        let batch = SendBatch(
            headers: headers,
            payload: .shared(payload),
            tokens: TokenList([token]),
            firstID: apnsID
        )
        let outcomes = await self.send(batch, to: destination, lane: lane, deadline: deadline)
        return outcomes[0]
    }

    private func access(to destination: APNsDestination, in lane: SendLane) -> Access {
        if let pool = self.state.withLock({ $0.pools.use(destination, lane) }) { return .pool(pool) }
        let created: ConnectionPool
        do throws(APNsClientError) {
            created = try ConnectionPool(
                destination: destination,
                lane: lane,
                configuration: self.configuration,
                group: lane == .urgent ? self.group : self.bulkGroup,
                logger: self.logger,
                metrics: self.metrics,
                now: self.now
            )
        } catch {
            return .none(SendFailure(code: .badCredential, message: error.description))
        }
        var replaced: ConnectionPool?
        let access: Access = self.state.withLock { state in
            if let pool = state.pools.use(destination, lane) { return .pool(pool) }
            if state.isShutDown { created.refuseEverything() }
            switch state.pools.add(created) {
            case .added(let idle):
                replaced = idle
                return .pool(created)
            case .full:
                let message = "the client is sending to \(self.configuration.maximumDestinations) other destinations"
                return .none(SendFailure(code: .notSent, message: message))
            }
        }
        replaced?.retire()
        return access
    }
}

/// Why a credential or the client itself cannot be used.
///
/// The outcome of a notification is never thrown: it is a ``SendOutcome``.
public struct APNsClientError: Error, Sendable, CustomStringConvertible {
    /// The code of the failure, for callers.
    public enum Code: String, Sendable, Hashable {
        /// The text is not a P-256 private key in PEM.
        case invalidKey
        /// The key id or team id is not ten letters and digits.
        case invalidIdentifier
        /// The file is not a certificate with its key, in PEM or PKCS#12.
        case invalidCertificate
        /// The PKCS#12 file does not open with this password.
        case wrongPassword
        /// The server's certificate authority is not a certificate in PEM.
        case invalidTrust
    }

    /// The code of the failure.
    public var code: Code
    /// The failure and its fix; never a secret.
    public var message: String
    /// The lower-level error, kept whole.
    public var cause: (any Error)?

    /// Creates an error with a code and a message.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message, followed by the cause where there is one.
    public var description: String {
        if let cause = self.cause { "\(self.message) (\(cause))" } else { self.message }
    }
}
