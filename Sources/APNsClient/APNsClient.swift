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
/// Connections are opened when there is work, and live on the event loops of their lane's group. ``run()`` is the client's
/// lifetime: it waits for a graceful shutdown or cancellation, then lets what is in flight be answered and closes every
/// connection. A client whose `run()` has ended fails everything with `shuttingDown`.
public final class APNsClient: Service {
    private struct State {
        var pools: PoolTable
        var isShutDown = false
    }

    /// What there is for a caller.
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

    /// A client without connections.
    ///
    /// - Parameters:
    ///   - configuration: limits and times; the defaults suit Apple's servers.
    ///   - eventLoopGroup: where connections live. Not shut down by the client.
    ///   - bulkEventLoopGroup: where connections for bulk work live, so that threads of their own, of a lower priority,
    ///     may serve them. Not shut down by the client. Default: with all others.
    ///   - logger: told of connections, never of tokens or payloads.
    ///   - metrics: told of connections and answers. Default: nobody.
    ///   - now: the time of day, which provider tokens carry.
    public init(
        configuration: APNsClientConfiguration = APNsClientConfiguration(),
        eventLoopGroup: any EventLoopGroup,
        bulkEventLoopGroup: (any EventLoopGroup)? = nil,
        logger: Logger,
        metrics: any APNsClientMetrics = NoMetrics(),
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

    /// Waits for shutdown, then drains: what waits fails with `shuttingDown`, what is in flight is awaited for at most
    /// the drain timeout.
    ///
    /// Then connections are closed, whether their servers take leave or not, and what had no answer fails with
    /// `connectionLost`: APNs may have taken it. It never fails with `shuttingDown`, not even where it was lost earlier and
    /// waited to be sent again.
    ///
    /// Until the shutdown it closes the connections to destinations that nobody sends to any more.
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
    /// It answers when every target has an outcome, at the latest about half a second after the deadline. When the caller's
    /// task is cancelled, what was not sent yet fails with `cancelled`, and what is in flight is awaited.
    /// - Parameters:
    ///   - batch: the notification and its targets; any number.
    ///   - destination: the server and the credential.
    ///   - lane: urgent work never waits behind bulk work.
    ///   - deadline: how long each target may wait and be in flight. Default: 60 seconds.
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
        let waiting = Mutex<SendJob?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = SendJob(batch, deadline: due) { continuation.resume(returning: $0) }
                waiting.withLock { $0 = job }
                pool.enqueue(job)
                if Task.isCancelled { pool.cancel(job) }
            }
        } onCancel: {
            if let job = waiting.withLock({ $0 }) { pool.cancel(job) }
        }
    }

    /// Sends batches to one destination, and returns at once.
    ///
    /// The connections are woken once for all of them. A batch for which the queue has no room fails with `notSent`.
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
    ///   - headers: topic, push type and what else the notification asks for.
    ///   - payload: the body.
    ///   - token: the device.
    ///   - apnsID: the notification's id; the same one on every resend. `nil` lets APNs choose.
    ///   - destination: the server and the credential.
    ///   - lane: urgent work never waits behind bulk work.
    ///   - deadline: how long it may wait and be in flight. Default: 60 seconds.
    /// - Returns: what became of it.
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
/// What becomes of a notification is never thrown: it is a ``SendOutcome``.
public struct APNsClientError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it was; what callers switch on.
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

    /// What kind of failure it was.
    public var code: Code
    /// What happened and how to fix it; never a secret.
    public var message: String
    /// The lower-level error, kept whole.
    public var cause: (any Error)?

    /// An error of one kind, with what happened.
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
