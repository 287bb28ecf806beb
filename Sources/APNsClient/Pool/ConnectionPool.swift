// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import Logging
import NIOCore
import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The connections to one destination for the work of one lane, and the queue of that work.
///
/// Connections pull: each takes work for all of its free streams. One lock protects the queue and the roster; it is
/// taken once for a whole chunk of work, and all resulting actions run outside of it.
final class ConnectionPool: Sendable {
    private struct State {
        var queue = WorkQueue()
        var roster: PoolConnections
        var admissions = AdmissionQueue()
        var isTicking = false
        var isShutDown = false
        var whenEmpty: CheckedContinuation<Void, Never>?
    }

    let destination: APNsDestination
    let lane: SendLane
    let configuration: APNsClientConfiguration
    let metrics: any APNsClientMetrics
    let logger: Logger
    let now: @Sendable () -> Date
    private let tls: NIOSSLContext
    private let group: any EventLoopGroup
    private let state: Mutex<State>
    private let users = Atomic(0)
    private let lastUse = Atomic(NIODeadline.now().uptimeNanoseconds)

    init(
        destination: APNsDestination,
        lane: SendLane,
        configuration: APNsClientConfiguration,
        group: any EventLoopGroup,
        logger: Logger,
        metrics: any APNsClientMetrics,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(APNsClientError) {
        self.destination = destination
        self.lane = lane
        self.configuration = configuration
        self.metrics = metrics
        self.group = group
        self.now = now
        self.tls = try destination.makeTLSContext()
        var logger = logger
        logger[metadataKey: "apns.host"] = "\(destination.endpoint.host)"
        logger[metadataKey: "apns.lane"] = "\(lane)"
        self.logger = logger
        self.state = Mutex(State(roster: PoolConnections(configuration)))
    }

    // MARK: Callers

    /// A caller begins to use the pool: it is not idle until ``endUse()``.
    func beginUse() {
        self.users.add(1, ordering: .relaxed)
    }

    /// A caller who has begun to use the pool has all its outcomes.
    func endUse() {
        self.lastUse.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
        self.users.subtract(1, ordering: .releasing)
    }

    /// Since when the pool is unused; `nil` while it is used.
    var idleSince: NIODeadline? {
        guard self.users.load(ordering: .acquiring) == 0 else { return nil }
        return .uptimeNanoseconds(self.lastUse.load(ordering: .relaxed))
    }

    /// Waits until the queue has room for `count` more targets.
    ///
    /// Answers why there will be none, `nil` once there is.
    func admit(_ count: Int, deadline: NIODeadline) async -> SendFailure? {
        let room = self.configuration.maximumQueuedNotifications
        let isAdmitted = self.state.withLock { state in
            !state.isShutDown && state.admissions.admit(count, queued: state.queue.count, room: room)
        }
        if isAdmitted { return nil }
        let ticket = AdmissionQueue.Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.update { state, actions in
                    if state.isShutDown {
                        actions.turnAway([continuation], with: Self.shuttingDown)
                    } else {
                        state.admissions.append(
                            AdmissionQueue.Entry(
                                ticket: ticket,
                                count: count,
                                deadline: deadline,
                                continuation: continuation
                            )
                        )
                    }
                }
                if Task.isCancelled { self.withdraw(ticket) }
            }
        } onCancel: {
            self.withdraw(ticket)
        }
    }

    /// Lets a cancelled caller wait no longer.
    private func withdraw(_ ticket: AdmissionQueue.Ticket) {
        self.update { state, actions in
            actions.turnAway(state.admissions.remove { $0.ticket === ticket }, with: Self.cancelled)
        }
    }

    func enqueue(_ job: SendOperation) {
        self.update { state, actions in
            guard !state.isShutDown else {
                return actions.fail([UnsentTargets(all: job)], with: Self.shuttingDown)
            }
            state.admissions.arrived(job.count)
            state.queue.append(job)
        }
    }

    /// Queues batches within the capacity, and fails the others.
    func submit(_ submissions: [Submission]) {
        let jobs = submissions.compactMap { submission in submission.makeJob(in: self).map { (submission, $0) } }
        let room = self.configuration.maximumQueuedNotifications
        self.update { state, actions in
            for (_, job) in jobs {
                if state.isShutDown {
                    actions.fail([UnsentTargets(all: job)], with: Self.shuttingDown)
                } else if state.admissions.admit(job.count, queued: state.queue.count, room: room) {
                    state.admissions.arrived(job.count)
                    state.queue.append(job)
                } else {
                    actions.fail([UnsentTargets(all: job)], with: Self.noFreeStream)
                }
            }
        }
        for (submission, job) in jobs { submission.isQueued(job, in: self) }
    }

    /// Removes the queued targets of a cancelled caller.
    ///
    /// Targets in flight are awaited.
    func cancel(_ job: SendOperation) {
        self.update { state, actions in
            job.progress.isCancelled = true
            if let unsent = state.queue.remove(job) { actions.fail([unsent], with: Self.cancelled) }
        }
    }

    // MARK: Connections

    /// Hands work to a connection that has `limit` free streams.
    ///
    /// Without work the connection is woken for the next.
    func take(for id: Int, limit: Int) -> WorkChunk? {
        var slice: WorkChunk?
        self.update { state, actions in
            actions.fail(state.queue.removeLate(now: .now()), with: Self.noFreeStream)
            slice = state.queue.take(limit: limit)
            if slice == nil { state.roster.markHungry(id) }
        }
        return slice
    }

    /// Returns targets to the queue that have no response because of their connection.
    func putBack(_ returned: [RetryTarget]) {
        let resent = self.update { state, actions in
            var resent = 0
            for target in returned {
                let isLast = target.fallback.map { self.countAttempt(of: target, $0) } ?? false
                // A target that may have reached APNs, now or earlier, differs from one that never did: the caller may
                // retry only the latter.
                let attempted = target.job.progress.attempts[target.index]?.outcome
                if isLast || state.isShutDown || target.job.progress.isCancelled {
                    let failure = state.isShutDown ? Self.shuttingDown : Self.cancelled
                    actions.end(target, as: attempted ?? .failed(failure))
                } else {
                    state.queue.putBack(target.index, of: target.job)
                    resent += 1
                }
            }
            return resent
        }
        if resent > 0 { self.metrics.retried(resent) }
    }

    /// Counts one more attempt of a target, under the lock.
    ///
    /// Answers whether it was the last.
    private func countAttempt(of target: RetryTarget, _ outcome: SendOutcome) -> Bool {
        var attempts = target.job.progress.attempts[target.index] ?? SendOperation.Attempts(outcome: outcome)
        attempts.count += 1
        attempts.outcome = outcome
        target.job.progress.attempts[target.index] = attempts
        // A target that APNs responded to was not delivered: it may be retried, even if the caller does not want lost
        // ones retried.
        let isLost = if case .failed = outcome { true } else { false }
        let limit = isLost ? target.job.maximumResends : nil
        return attempts.count > limit ?? self.configuration.maximumResends
    }

    func connectionReady(_ handle: ConnectionHandle) {
        let isWelcome = self.update { state, _ in
            guard !state.isShutDown else { return false }
            state.roster.ready(handle)
            return true
        }
        guard isWelcome else { return handle.close() }
        self.metrics.connectionOpened(to: self.destination.endpoint.host)
        self.logger.debug("Connected to APNs", metadata: ["apns.connection": "\(handle.id)"])
    }

    /// A connection has proved to be good for more than before.
    func connectionAnswered(_ id: Int, _ standing: ConnectionHealth, roundTrip: TimeAmount) {
        self.update { state, _ in state.roster.answered(id, standing, roundTrip: roundTrip) }
    }

    /// Whether a target that APNs refused on a connection without successful requests may be tried on another one.
    func mayTryElsewhere() -> Bool {
        self.state.withLock { state in
            var generator = SystemRandomNumberGenerator()
            return state.roster.mayTryElsewhere(now: .now(), using: &generator)
        }
    }

    func connectionDraining(_ id: Int) {
        self.update { state, _ in state.roster.draining(id) }
    }

    func connectionGone(_ id: Int, error: (any Error)?, ending: ConnectionCloseReason = .ended) {
        let (neverReady, whenEmpty) = self.update { state, _ in
            var generator = SystemRandomNumberGenerator()
            let neverReady = state.roster.gone(
                id,
                error: error.map { "\($0)" },
                now: .now(),
                using: &generator
            )
            return (neverReady, state.roster.members.isEmpty ? state.whenEmpty.take() : nil)
        }
        // A waiter for the last connection must see it counted.
        defer { whenEmpty?.resume() }
        guard let neverReady else { return }
        let host = self.destination.endpoint.host
        if neverReady {
            self.metrics.connectionFailed(to: host)
            let reason = error.map { "\($0)" } ?? "closed by the server"
            self.logger.warning("Failed to connect to APNs", metadata: ["error": "\(reason)"])
        } else {
            self.metrics.connectionClosed(to: host, by: error != nil && ending == .ended ? .lost : ending)
            self.logger.debug(
                "Connection to APNs closed",
                metadata: ["apns.connection": "\(id)", "apns.ending": "\(ending.rawValue)"]
            )
        }
    }

    private func open(_ id: Int) {
        let eventLoop = self.group.next()
        HTTP2Transport.connect(
            host: self.destination.endpoint.host,
            port: self.destination.endpoint.port,
            tls: self.tls,
            serverName: self.destination.endpoint.serverName,
            on: eventLoop,
            connectTimeout: TimeAmount(self.configuration.connectTimeout),
            configuration: HTTP2ConnectionConfiguration(
                role: .client,
                handshakeTimeout: TimeAmount(self.configuration.connectTimeout)
            ),
            delegate: { APNsConnection(id: id, pool: self, eventLoop: eventLoop) }
        ).whenComplete { result in
            switch result {
            case .failure(let error): self.connectionGone(id, error: error)
            case .success(let channel):
                // Of several addresses one is connected to, and this is it; it reports its end itself once TLS is up.
                channel.closeFuture.whenComplete { _ in
                    let message = "the server closed before TLS was up"
                    self.connectionGone(id, error: HTTP2SessionError(code: .connectionLost, message: message))
                }
            }
        }
    }

    // MARK: Shutdown

    /// Fails queued targets, waits for responses in flight within the drain timeout, and closes every connection.
    func drain() async {
        let deadline = self.retire()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isEmpty = self.state.withLock { state in
                if !state.roster.members.isEmpty { state.whenEmpty = continuation }
                return state.roster.members.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
        deadline.cancel()
    }

    /// Starts the shutdown whose end ``drain()`` awaits.
    ///
    /// - Returns: a function that closes the remaining connections after the drain timeout.
    @discardableResult
    func retire() -> Scheduled<Void> {
        let handles = self.update { state, actions in
            state.isShutDown = true
            actions.fail(state.queue.remove { _ in true }, with: Self.shuttingDown)
            actions.turnAway(state.admissions.remove { _ in true }, with: Self.shuttingDown)
            state.roster.abandonOpening()
            return state.roster.handles
        }
        for handle in handles { handle.drain() }
        return self.group.next().scheduleTask(in: TimeAmount(self.configuration.drainTimeout)) {
            for handle in self.state.withLock({ $0.roster.handles }) { handle.close() }
        }
    }

    /// Makes a pool that was created during the shutdown fail all of its work.
    func refuseEverything() {
        self.state.withLock { $0.isShutDown = true }
    }

    static let cancelled = SendFailure(code: .cancelled, message: "the caller's task was cancelled")
    private static let shuttingDown = SendFailure(code: .shuttingDown, message: "the APNs client is shutting down")

    // MARK: The lock

    /// Changes the state under the lock, and performs the resulting actions outside of it.
    @discardableResult
    private func update<Result: Sendable>(_ body: (inout State, inout PoolActions) -> Result) -> Result {
        var actions = PoolActions()
        let result = self.state.withLock { state in
            let result = body(&state, &actions)
            if !state.isShutDown {
                actions.open = state.roster.openIfNeeded(backlog: state.queue.count, now: .now())
            }
            // After any change: no connection that could take queued work stays idle.
            actions.wake = state.roster.wakeHungry(backlog: state.queue.count)
            let room = self.configuration.maximumQueuedNotifications
            actions.admit = state.admissions.admitWaiting(queued: state.queue.count, room: room)
            if state.queue.count > 0, !state.isTicking {
                state.isTicking = true
                actions.startTicking = true
            }
            return result
        }
        self.perform(actions)
        return result
    }

    private func perform(_ actions: PoolActions) {
        if let id = actions.open { self.open(id) }
        for handle in actions.wake { handle.wake() }
        actions.answerCallers()
        if actions.startTicking { self.scheduleTick() }
    }

    /// While something waits, deadlines and pauses before connecting are looked at five times a second.
    private func scheduleTick() {
        self.group.next().scheduleTask(in: .milliseconds(200)) { self.tick() }
    }

    private func tick() {
        self.update { state, actions in
            let now = NIODeadline.now()
            let failure = state.roster.lastError.map(self.noConnection) ?? Self.noFreeStream
            actions.fail(state.queue.remove { $0.deadline <= now }, with: failure)
            actions.turnAway(state.admissions.remove { $0.deadline <= now }, with: failure)
            state.isTicking = false
        }
    }

    private static let noFreeStream = SendFailure(code: .notSent, message: "no stream was free before the deadline")

    private func noConnection(_ lastError: String) -> SendFailure {
        if case .certificate = self.destination.credential, let alert = TLSCertificateAlert(endOf: lastError) {
            let message = "APNs refused the client certificate (TLS alert \(alert.rawValue))"
            return SendFailure(code: .certificateRefused, message: message)
        }
        return SendFailure(code: .unreachable, message: "no connection before the deadline: \(lastError)")
    }
}
