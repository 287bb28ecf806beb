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

/// One connection to APNs: pulls work from its pool whenever it has free streams, and reports what became of it.
///
/// It belongs to one event loop. Per answer it touches a few integers; locks, atomics and metrics are touched once for
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

    /// The most bytes of an error body that are kept.
    ///
    /// Apple's are below 100.
    private static let maximumErrorBody = 1024

    let id: Int
    let pool: ConnectionPool
    let eventLoop: any EventLoop
    private var phase = Phase.opening
    private var connection: HTTP2Connection?
    private var writer: RequestWriter
    private var token: ProviderToken?
    private var requests: [InFlight] = []
    private var inFlight = 0
    private var errorBodies: [Int: [UInt8]] = [:]
    /// Whether a provider token was seen to be valid: until then APNs takes one request at a time.
    private var isProven: Bool
    private var lastReceived = NIODeadline.now()
    private var pingSentAt: NIODeadline?
    private var watch: Scheduled<Void>?
    private var startDeadline: Scheduled<Void>?
    private var burst = Burst()
    private var failure: (any Error)?
    private var hasAnswered = false

    init(id: Int, pool: ConnectionPool, eventLoop: any EventLoop) {
        self.id = id
        self.pool = pool
        self.eventLoop = eventLoop
        self.writer = RequestWriter(authority: pool.destination.endpoint.authority)
        if case .key = pool.destination.credential { self.isProven = false } else { self.isProven = true }
    }

    // MARK: Work

    /// How many requests may be in flight: what the server announced, the configuration, and one before the first success.
    private var limit: Int {
        guard self.isProven else { return 1 }
        let announced = self.connection?.session?.remoteMaximumConcurrentStreams ?? 1
        return min(Int(announced), self.pool.configuration.maximumStreams)
    }

    /// Takes work, called from another part of the program.
    func wake() {
        self.pull()
        self.connection?.flush()
    }

    private func pull() {
        guard case .ready = self.phase, let session = self.connection?.session else { return }
        self.refreshToken()
        while case .ready = self.phase {
            let limit = self.limit
            let free = limit - self.inFlight
            let reserve = limit > 2 * self.pool.configuration.urgentReserve ? self.pool.configuration.urgentReserve : 0
            guard free > 0, let slice = self.pool.take(for: self.id, limit: free, reserve: reserve) else { return }
            for index in slice.indices { self.submit(index, of: slice.job, to: session) }
            for index in slice.resends { self.submit(Int(index), of: slice.job, to: session) }
            self.settleBurst()
        }
    }

    private func submit(_ index: Int, of job: SendJob, to session: HTTP2Session) {
        guard case .ready = self.phase else {
            self.burst.returned.append(ReturnedTarget(job: job, index: index, fallback: nil))
            return
        }
        do throws(HTTP2SessionError) {
            let stream = try self.writer.submit(index, of: job, to: session)
            while self.requests.count <= stream.slot { self.requests.append(InFlight()) }
            self.requests[stream.slot] = InFlight(job: job, index: Int32(index), sentAt: self.eventLoop.now)
            self.inFlight += 1
        } catch {
            // The peer went away, or every stream identifier is used up: the work goes to another connection.
            self.burst.returned.append(ReturnedTarget(job: job, index: index, fallback: nil))
            self.failure = error
            self.drain()
        }
    }

    private func refreshToken() {
        guard case .key(let key) = self.pool.destination.credential else { return }
        let now = Date()
        if let token = self.token, !token.needsRefresh(now: now) { return }
        do throws(APNsClientError) {
            let token = try ProviderToken(key: key, now: now)
            self.token = token
            self.writer.authorize(with: token.headerValue)
        } catch {
            self.failure = error
            self.drain()
        }
    }

    /// Takes no more work, and closes after the last answer.
    func drain() {
        switch self.phase {
        case .ready:
            self.phase = .draining
            self.pool.connectionDraining(self.id)
            self.closeIfDone()
        case .opening: self.close()
        case .draining, .closed: break
        }
    }

    /// Closes at once.
    ///
    /// What is in flight goes to another connection.
    func close() {
        guard let connection = self.connection else { return }
        connection.close()
        // TLS may take seconds to take leave of a peer that is gone; what was in flight does not wait for that.
        if connection.session == nil { self.end(nil) }
    }

    private func closeIfDone() {
        guard case .draining = self.phase, self.inFlight == 0 else { return }
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
        guard case .opening = self.phase else { return }
        self.phase = .ready
        self.startDeadline?.cancel()
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.pool.connectionReady(ConnectionHandle(id: self.id, connection: bound, eventLoop: self.eventLoop))
        self.scheduleWatch()
    }

    func connectionDidReadBurst(_ connection: HTTP2Connection) {
        self.lastReceived = self.eventLoop.now
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
        self.connection = nil
        let cause = self.failure ?? error
        for slot in self.requests.indices {
            guard let job = self.requests[slot].job else { continue }
            let request = self.requests[slot]
            self.requests[slot].job = nil
            self.returnOrExpire(
                request,
                job: job,
                code: .connectionLost,
                message: "the connection was lost",
                cause: cause
            )
        }
        self.inFlight = 0
        self.settleBurst()
        self.writer.forgetJob()
        // Otherwise TCP failed, or another address was faster: that is for whoever connected to say.
        if wasOpen || cause != nil { self.pool.connectionGone(self.id, error: cause) }
    }

    // MARK: Answers

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {}

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
        self.requests[stream.slot].status = status
    }

    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {}

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        guard self.requests[stream.slot].status != 200 else { return }
        let room = Self.maximumErrorBody - self.errorBodies[stream.slot, default: []].count
        self.errorBodies[stream.slot, default: []].append(contentsOf: bytes.prefix(max(0, room)))
    }

    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {}

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {
        guard stream.slot < self.requests.count, let job = self.requests[stream.slot].job else { return }
        let request = self.requests[stream.slot]
        self.requests[stream.slot].job = nil
        self.inFlight -= 1
        if request.status >= 200 {
            self.answered(request, job: job, body: self.takeErrorBody(stream.slot))
        } else if code == .refusedStream, !request.isExpired, job.deadline > self.eventLoop.now {
            self.burst.returned.append(ReturnedTarget(job: job, index: Int(request.index), fallback: nil))
        } else {
            _ = self.takeErrorBody(stream.slot)
            self.returnOrExpire(request, job: job, code: .streamReset, message: "the server reset the stream: \(code)")
        }
        self.scheduleSettling()
    }

    private func takeErrorBody(_ slot: Int) -> [UInt8] {
        guard !self.errorBodies.isEmpty else { return [] }
        return self.errorBodies.removeValue(forKey: slot) ?? []
    }

    private func answered(_ request: InFlight, job: SendJob, body: [UInt8]) {
        if request.status == 200 {
            self.isProven = true
            self.burst.accepted += 1
            self.burst.finished(1, of: job)
            return
        }
        if request.status < 500, request.status != 403, request.status != 429 { self.isProven = true }
        switch Answer(status: request.status, body: body) {
        case .settled(let outcome):
            self.burst.rejected += 1
            job.record(outcome, at: Int(request.index))
            self.burst.finished(1, of: job)
        case .sendElsewhere(let fallback):
            self.burst.returned.append(ReturnedTarget(job: job, index: Int(request.index), fallback: fallback))
            self.drain()
        }
    }

    /// Sends a request again that got no answer, unless its time is up.
    private func returnOrExpire(
        _ request: InFlight,
        job: SendJob,
        code: SendFailure.Code,
        message: String,
        cause: (any Error)? = nil
    ) {
        if request.isExpired || job.deadline <= self.eventLoop.now {
            let failure = SendFailure(code: .deadlineExceeded, message: "APNs did not answer before the deadline")
            job.record(.failed(failure), at: Int(request.index))
            self.burst.finished(1, of: job)
        } else {
            let text = cause.map { "\(message) (\($0))" } ?? message
            let fallback = SendOutcome.failed(SendFailure(code: code, message: text))
            self.burst.returned.append(ReturnedTarget(job: job, index: Int(request.index), fallback: fallback))
        }
    }

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {
        let reason = Rejection(status: 503, body: debugData.bindMemory(to: UInt8.self)).reason
        self.pool.logger.info(
            "APNs closes a connection",
            metadata: ["apns.connection": "\(self.id)", "apns.reason": "\(reason)", "http2.code": "\(code)"]
        )
        self.drain()
    }

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {
        self.pingSentAt = nil
    }

    // MARK: Bursts

    /// Streams close outside a burst too, when a reset is written; what they leave is settled in the same turn.
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
        self.burst = Burst(isSettlingScheduled: burst.isSettlingScheduled)
        if burst.accepted + burst.rejected > 0 {
            self.pool.metrics.answered(accepted: burst.accepted, rejected: burst.rejected)
            if !self.hasAnswered { self.pool.connectionAnswered(self.id) }
            self.hasAnswered = true
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

    /// Twice a second: deadlines of what is in flight, and whether the peer is still there.
    private func lookAround() {
        guard let session = self.connection?.session else { return }
        let now = self.eventLoop.now
        var oldest: NIODeadline?
        if self.inFlight > 0 {
            for slot in self.requests.indices {
                guard let job = self.requests[slot].job else { continue }
                oldest = min(oldest ?? now, self.requests[slot].sentAt)
                guard job.deadline <= now, !self.requests[slot].isExpired else { continue }
                self.requests[slot].isExpired = true
                session.reset(slot: slot, code: .cancel)
            }
        }
        if self.inFlight == 0 { self.writer.forgetJob() }
        self.checkLife(oldestRequest: oldest, now: now, session: session)
        self.connection?.flush()
    }

    private func checkLife(oldestRequest: NIODeadline?, now: NIODeadline, session: HTTP2Session) {
        let configuration = self.pool.configuration
        if let pingSentAt = self.pingSentAt {
            guard now - pingSentAt > TimeAmount(configuration.pingTimeout) else { return }
            self.failure = HTTP2SessionError(code: .connectionLost, message: "the server answered no PING in time")
            self.close()
            return
        }
        let isSilent = now - self.lastReceived > TimeAmount(configuration.idlePingInterval)
        let isWaiting = oldestRequest.map { now - max($0, self.lastReceived) > TimeAmount(configuration.answerTimeout) }
        guard isSilent || isWaiting == true else { return }
        self.pingSentAt = now
        session.submitPing()
    }
}
