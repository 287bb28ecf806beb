// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Logging
public import NIOCore
public import ServiceLifecycle
import Synchronization

/// Sends notifications to APNs over pools of HTTP/2 connections, one pool for each destination.
///
/// Connections are opened when there is work, and live on the event loops of the group. ``run()`` is the client's
/// lifetime: it waits for a graceful shutdown or cancellation, then lets what is in flight be answered and closes every
/// connection. A client whose `run()` has ended fails everything with `shuttingDown`.
public final class APNsClient: Service {
    private struct State {
        var pools: [APNsDestination: ConnectionPool] = [:]
        var isShutDown = false
    }

    private let configuration: APNsClientConfiguration
    private let group: any EventLoopGroup
    private let logger: Logger
    private let metrics: any APNsClientMetrics
    private let state = Mutex(State())

    /// A client without connections.
    ///
    /// - Parameters:
    ///   - configuration: limits and times; the defaults suit Apple's servers.
    ///   - eventLoopGroup: where connections live. Not shut down by the client.
    ///   - logger: told of connections, never of tokens or payloads.
    ///   - metrics: told of connections and answers. Default: nobody.
    public init(
        configuration: APNsClientConfiguration = APNsClientConfiguration(),
        eventLoopGroup: any EventLoopGroup,
        logger: Logger,
        metrics: any APNsClientMetrics = NoMetrics()
    ) {
        self.configuration = configuration
        self.group = eventLoopGroup
        self.logger = logger
        self.metrics = metrics
    }

    /// Waits for shutdown, then drains: what waits fails with `shuttingDown`, what is in flight is awaited for at most
    /// the drain timeout.
    public func run() async throws {
        try? await gracefulShutdown()
        let pools = self.state.withLock { state in
            state.isShutDown = true
            return Array(state.pools.values)
        }
        await withDiscardingTaskGroup { group in
            for pool in pools { group.addTask { await pool.drain() } }
        }
    }

    /// Sends one notification to many devices.
    ///
    /// It answers when every target has an outcome, at the latest some seconds after the deadline. When the caller's
    /// task is cancelled, what was not sent yet fails with `cancelled`, and what is in flight is awaited.
    /// - Parameters:
    ///   - batch: the notification and its targets; any number.
    ///   - destination: the server and the credential.
    ///   - lane: urgent work goes before bulk work.
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
        do throws(APNsClientError) {
            pool = try self.pool(for: destination)
        } catch {
            return Array(repeating: .failed(SendFailure(code: .unreachable, message: error.message)), count: count)
        }
        let due = NIODeadline.now() + TimeAmount(deadline)
        if let failure = await pool.admit(count, deadline: due) {
            return Array(repeating: .failed(failure), count: count)
        }
        let waiting = Mutex<SendJob?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = SendJob(batch, lane: lane, deadline: due, completion: continuation)
                waiting.withLock { $0 = job }
                pool.enqueue(job)
                if Task.isCancelled { pool.cancel(job) }
            }
        } onCancel: {
            if let job = waiting.withLock({ $0 }) { pool.cancel(job) }
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
    ///   - lane: urgent work goes before bulk work.
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
        let batch = SendBatch(headers: headers, payload: payload, tokens: TokenList([token]), firstID: apnsID)
        let outcomes = await self.send(batch, to: destination, lane: lane, deadline: deadline)
        return outcomes[0]
    }

    private func pool(for destination: APNsDestination) throws(APNsClientError) -> ConnectionPool {
        if let pool = self.state.withLock({ $0.pools[destination] }) { return pool }
        let created = try ConnectionPool(
            destination: destination,
            configuration: self.configuration,
            group: self.group,
            logger: self.logger,
            metrics: self.metrics
        )
        return self.state.withLock { state in
            if let pool = state.pools[destination] { return pool }
            if state.isShutDown { created.refuseEverything() }
            state.pools[destination] = created
            return created
        }
    }
}
