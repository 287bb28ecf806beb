// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import Logging
import NIOCore
import NIOSSL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One connection to APNs: pulls work from its pool whenever it has free streams, and reports the outcomes.
///
/// It belongs to one event loop. A response changes only a few integers; locks, atomics and metrics are used once for
/// each burst of input.
final class APNsConnection: HTTP2ConnectionDelegate {
    private enum Phase {
        /// TCP, TLS and the server's first SETTINGS are awaited. Can transition to: `ready`, `closed`.
        case opening
        /// Work is pulled. Can transition to: `draining`, `closed`.
        case ready
        /// Only answers are awaited. Can transition to: `closed`.
        case draining
        case closed
    }

    /// How long nothing is added after a refusal (`REFUSED_STREAM`) where no answer comes.
    private static let refusalPause = TimeAmount.milliseconds(100)

    let id: Int
    let pool: ConnectionPool
    let eventLoop: any EventLoop
    // Not checked for overlapping access, since each notification touches them: no method calls out while it changes
    // one.
    @exclusivity(unchecked) private var phase = Phase.opening
    private var connection: HTTP2Connection?
    @exclusivity(unchecked) private var writer: RequestWriter
    private var token: ConnectionProviderToken
    @exclusivity(unchecked) private var inFlight = InFlightRequests()
    @exclusivity(unchecked) private var allowance: ConcurrentStreamLimit
    @exclusivity(unchecked) private var room = SendCapacity()
    private var holdPause: Scheduled<Void>?
    private var lifeSigns: KeepAliveState
    private var watch: Scheduled<Void>?
    private var startDeadline: Scheduled<Void>?
    @exclusivity(unchecked) private var burst = ReadCycle()
    private var failure: (any Error)?
    private var standing = ConnectionHealth.silent
    /// The maximum number of concurrent streams, as reported to the metrics.
    var maxConcurrentStreams = 0
    /// The limit that it has reached, as reported to the metrics.
    var sendLimit: SendLimitReason?
    /// How the connection ends, as far as is known: without a request to end, it counts as lost.
    var ending = ConnectionCloseReason.lost

    init(id: Int, pool: ConnectionPool, eventLoop: any EventLoop) {
        self.id = id
        self.pool = pool
        self.eventLoop = eventLoop
        self.lifeSigns = KeepAliveState(now: eventLoop.now)
        self.writer = RequestWriter(authority: pool.destination.endpoint.authority)
        self.token = ConnectionProviderToken(pool.destination.credential)
        self.allowance = ConcurrentStreamLimit(pool.configuration, lane: pool.lane, isProven: !self.token.isNeeded)
    }

    // MARK: Work

    /// Takes work, called from another part of the program.
    func wake() {
        self.pull()
        self.connection?.flush()
    }

    private func pull() {
        guard case .ready = self.phase else { return }
        guard let session = self.connection?.session else { return self.end(nil) }
        self.refreshToken()
        self.room.begin(window: session.remoteWindowSize)
        while case .ready = self.phase {
            let announced = session.remoteMaximumConcurrentStreams
            let streams = self.allowance.limit(announced: announced) - self.inFlight.count
            guard streams > 0 else { return self.note(.maxStreams) }
            let free = self.room.requests(streams: streams)
            guard free > 0 else { return self.note(.flowControl) }
            guard let slice = self.pool.take(for: self.id, limit: free) else { return self.note(.idle) }
            let now = self.eventLoop.now
            for index in slice.indices { self.submit(index, of: slice.job, to: session, now: now) }
            for index in slice.resends { self.submit(Int(index), of: slice.job, to: session, now: now) }
            self.settleBurst()
        }
    }

    private func submit(_ index: Int, of job: SendOperation, to session: HTTP2Session, now: NIODeadline) {
        guard case .ready = self.phase else {
            self.burst.sendAgain(index, of: job, fallback: nil)
            return
        }
        do throws(HTTP2SessionError) {
            let stream = try self.writer.submit(index, of: job, to: session)
            self.inFlight.add(InFlightRequest(job: job, index: index, sentAt: now), in: stream.slot)
            self.room.spend(job.payload(of: index).count)
        } catch {
            // The peer went away, or every stream identifier is used up: the work goes to another connection.
            self.burst.sendAgain(index, of: job, fallback: nil)
            self.failure = error
            self.drain()
        }
    }

    private func refreshToken() {
        do throws(APNsClientError) {
            switch try self.token.step(now: self.pool.now(), uptime: self.eventLoop.now) {
            case .keep: break
            case .change(let headerValue): self.writer.authorize(with: headerValue)
            case .leave: self.drain()
            }
        } catch {
            self.failure = error
            self.drain()
        }
    }

    /// Accepts no more work, and closes after the last response.
    func drain() {
        switch self.phase {
        case .ready:
            self.phase = .draining
            if self.ending == .lost { self.ending = .ended }
            self.pool.connectionDraining(self.id)
            self.closeIfDone()
        case .opening: self.close()
        case .draining, .closed: break
        }
    }

    /// Closes immediately.
    ///
    /// Requests in flight move to another connection.
    func close() {
        guard let connection = self.connection else { return }
        connection.close()
        // Closing TLS may take seconds if the peer has disappeared; requests in flight do not wait for that.
        if connection.session == nil { self.end(nil) }
    }

    private func closeIfDone() {
        guard case .draining = self.phase, self.inFlight.count == 0 else { return }
        self.connection?.session?.submitTermination()
        self.connection?.scheduleFlush()
    }

    // MARK: Beginning and end

    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?) {
        self.connection = connection
        let timeout = TimeAmount(self.pool.configuration.connectTimeout)
        self.startDeadline = self.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.failure = HTTP2SessionError(code: .connectionLost, message: "the server sent no SETTINGS in time")
            self.close()
        }
    }

    func sessionDidReceiveSettings(_ session: HTTP2Session) {
        self.grant(Int(session.remoteMaximumConcurrentStreams))
        guard case .opening = self.phase else { return }
        self.phase = .ready
        self.startDeadline?.cancel()
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.pool.connectionReady(ConnectionHandle(id: self.id, connection: bound, eventLoop: self.eventLoop))
        self.scheduleWatch()
    }

    func connectionDidReadBurst(_ connection: HTTP2Connection) {
        self.lifeSigns.received(now: self.eventLoop.now)
        self.settleBurst()
        self.pull()
        self.closeIfDone()
    }

    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?) {
        self.end(error)
    }

    private func end(_ error: HTTP2SessionError?) {
        if case .closed = self.phase { return }
        let wasOpen = self.connection != nil
        self.phase = .closed
        self.watch?.cancel()
        self.startDeadline?.cancel()
        self.holdPause?.cancel()
        self.connection = nil
        let cause = self.failure ?? error
        for slot in self.inFlight.slots {
            guard let (request, body) = self.inFlight.take(slot), !request.isExpired else { continue }
            guard !request.isAnswered(by: body, isWhole: false) else {
                self.answered(request, body: body)
                continue
            }
            // The peer or caller that ended the connection did not wait for the responses.
            self.ending = .lost
            let message = cause.map { "the connection was lost (\($0))" } ?? "the connection was lost"
            let failure = SendFailure(code: .connectionLost, message: message)
            self.burst.sendAgain(request, fallback: .failed(failure))
        }
        self.settleBurst()
        self.writer.forgetJob()
        // Otherwise TCP failed, or another address was faster: the code that connects reports that.
        self.grant(0)
        self.note(nil)
        if wasOpen || cause != nil { self.pool.connectionGone(self.id, error: cause, ending: self.ending) }
    }

    // MARK: Answers

    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    ) {
        // `:status` is the only pseudo-header field of a response (RFC 9113 section 8.3.2).
        guard name.first == UInt8(ascii: ":"), value.count == 3 else { return }
        var status: UInt16 = 0
        for digit in value { status = status &* 10 &+ UInt16(digit &- UInt8(ascii: "0")) }
        self.inFlight.received(status: status, in: stream.slot)
    }

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        self.inFlight.received(bytes, in: stream.slot)
    }

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {
        guard let (request, body) = self.inFlight.take(stream.slot) else { return }
        if request.isExpired {
            // Its caller has the result already.
        } else if request.isAnswered(by: body, isWhole: code == .noError) {
            self.answered(request, body: body)
        } else if code == .refusedStream {
            self.burst.sendAgain(request, fallback: nil)
            self.allowance.refused(inFlight: self.inFlight.count)
            self.scheduleHoldPause()
        } else {
            let failure = SendFailure(code: .streamReset, message: "the server reset the stream: \(code)")
            self.burst.sendAgain(request, fallback: .failed(failure))
        }
        self.scheduleSettling()
    }

    private func answered(_ request: InFlightRequest, body: [UInt8]) {
        self.burst.timed(since: request.sentAt)
        if request.status == 200 {
            self.allowance.isProven = true
            self.burst.accepted += 1
            self.burst.finished(1, of: request.job)
            return
        }
        if request.status < 500, request.status != 403, request.status != 429 { self.allowance.isProven = true }
        switch ResponseAction(status: request.status, body: body) {
        case .settled(let outcome):
            self.burst.hasServed = true
            self.burst.rejected += 1
            self.burst.settle(request, as: outcome)
        case .sendElsewhere(let fallback):
            self.burst.isSentAway = true
            if self.leave() { return self.burst.sendAgain(request, fallback: fallback) }
            self.burst.rejected += 1
            self.burst.settle(request, as: fallback)
        }
    }

    /// Leaves the work to other connections, as APNs asked, where that is worth a try.
    ///
    /// Answers whether it is: a connection that has served was good until now, one that has not says that any other may
    /// be as bad.
    private func leave() -> Bool {
        guard case .ready = self.phase else { return true }
        guard max(self.standing, self.burst.standing) == .served || self.pool.mayTryElsewhere() else { return false }
        self.drain()
        return true
    }

    /// Retries requests that the server refused after a delay, unless a response arrives first.
    private func scheduleHoldPause() {
        guard self.holdPause == nil else { return }
        self.holdPause = self.eventLoop.assumeIsolated().scheduleTask(in: Self.refusalPause) {
            self.holdPause = nil
            if self.allowance.pauseEnded() { self.scheduleHoldPause() }
            self.wake()
        }
    }

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {
        self.lifeSigns.pingAnswered()
    }

    // MARK: Bursts

    /// Streams also close outside of a burst, when a reset is written; their requests are settled in the same
    /// event-loop tick.
    private func scheduleSettling() {
        guard !self.burst.isSettlingScheduled else { return }
        self.burst.isSettlingScheduled = true
        self.eventLoop.assumeIsolated().execute {
            self.burst.isSettlingScheduled = false
            self.settleBurst()
            self.pull()
            self.connection?.flush()
            self.closeIfDone()
        }
    }

    private func settleBurst() {
        guard !self.burst.isEmpty else { return }
        let burst = self.burst
        self.burst = ReadCycle(isSettlingScheduled: burst.isSettlingScheduled)
        if burst.accepted + burst.rejected > 0 {
            self.pool.metrics.responsesReceived(accepted: burst.accepted, rejected: burst.rejected)
            self.pool.metrics.responsesReceived(in: burst.times)
            self.allowance.answered(burst.accepted + burst.rejected)
        }
        // A little less is not worth the pool's lock.
        let isFaster = 4 * burst.fastest.nanoseconds < 3 * self.allowance.roundTrip.nanoseconds
        if burst.standing > self.standing || isFaster {
            self.standing = max(self.standing, burst.standing)
            self.allowance.roundTrip = min(self.allowance.roundTrip, burst.fastest)
            self.pool.connectionAnswered(self.id, self.standing, roundTrip: self.allowance.roundTrip)
        }
        if !burst.returned.isEmpty { self.pool.putBack(burst.returned) }
        burst.report()
    }

    // MARK: Watching

    private func scheduleWatch() {
        if case .closed = self.phase { return }
        self.watch = self.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(500)) {
            self.lookAround()
            self.scheduleWatch()
        }
    }

    /// Checks the deadlines of requests in flight, and the peer, twice a second.
    private func lookAround() {
        guard let session = self.connection?.session else { return self.end(nil) }
        let now = self.eventLoop.now
        let (late, oldest) = self.inFlight.expire(now: now)
        for (slot, request) in late {
            // A stalled peer does not read the RST_STREAM either. The stream stays open, but the caller gets its
            // failure now.
            let failure = SendFailure(code: .deadlineExceeded, message: "APNs did not respond before the deadline")
            self.burst.settle(request, as: .failed(failure))
            session.reset(slot: slot, code: .cancel)
        }
        self.settleBurst()
        if self.inFlight.count == 0 { self.writer.forgetJob() }
        switch self.lifeSigns.check(oldestRequest: oldest, now: now, configuration: self.pool.configuration) {
        case .nothing: break
        case .ping: session.submitPing()
        case .giveUp:
            self.failure = HTTP2SessionError(
                code: .connectionLost,
                message: "the server did not acknowledge a PING in "
                    + "time"
            )
            self.close()
        }
        self.connection?.flush()
    }
}
