// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import PushModel
import Work

/// Sends chunks of one batch once, and decides the result of each target.
struct ChunkSender: Sendable {
    let claimed: ClaimedBatch
    let routes: BatchRoutes

    let rule: TargetRetryPolicy
    let context: DeliveryService

    private var batch: Batch { self.claimed.batch }

    init(_ claimed: ClaimedBatch, along routes: BatchRoutes, in context: DeliveryService) {
        let configuration = context.configuration
        self.claimed = claimed
        self.routes = routes
        self.rule = TargetRetryPolicy(
            maximumAttempts: configuration.maximumAttempts,
            backoff: configuration.retryBackoff,
            maximumDelay: configuration.maximumDelay,
            expiry: claimed.expiry(maximumAge: configuration.maximumAge),
            isOnce: claimed.isTriedOnce
        )
        self.context = context
    }

    /// Sends a chunk, its environments concurrently.
    ///
    /// Targets in the `postponed` environments are left until the batch is claimed again.
    func send(_ chunk: Chunk, leaving postponed: Set<APNsEnvironment>) async -> ChunkResult {
        await withTaskGroup(of: ChunkResult.self) { group in
            var whole = ChunkResult(chunk: chunk)
            for leg in self.routes.legs {
                let attempts = chunk.attempts { self.batch.targets.environment(at: $0) == leg.environment }
                if attempts.isEmpty { continue }
                if postponed.contains(leg.environment) {
                    whole.deferrals += attempts.map { $0.deferred(until: Deferral.atOnce) }
                } else {
                    group.addTask { await self.send(attempts, of: chunk, along: leg) }
                }
            }
            for await part in group {
                whole.failures += part.failures
                whole.deferrals += part.deferrals
            }
            return whole
        }
    }

    private func send(_ attempts: [TargetAttempt], of chunk: Chunk, along leg: BatchRoutes.Leg) async -> ChunkResult {
        let breakers = self.context.breakers
        let credentials = self.context.credentials
        let now = self.context.now()
        let subject = self.subject(in: leg.environment)
        switch leg.route {
        case .nowhere(let failure):
            await credentials.report(credentials.change(to: .failed(failure.code), for: subject, now: now), now: now)
            let failures = attempts.map { Settlement.Failure(index: $0.index, outcome: .failed(failure.code)) }
            return ChunkResult(chunk: chunk, failures: failures)
        case .line(let line):
            let standing = breakers.standing(of: line, now: now)
            // Batches with several circuits run concurrently. Each of them would wait for an unreachable circuit and
            // delay its other targets, so only one of them probes it.
            let isProbe = standing == .halfOpen && self.routes.lines.count > 1
            guard !standing.isOpen, !isProbe || breakers.beginProbe(of: line) else {
                let time = self.retryTime(of: line, now: now)
                return ChunkResult(chunk: chunk, deferrals: attempts.map { $0.deferred(until: time) })
            }
            self.context.metrics.attempted(attempts.count, in: self.batch.lane)
            let answers = await self.context.client.send(
                self.request(for: attempts),
                to: line.destination,
                lane: self.batch.lane == .urgent ? .urgent : .bulk,
                deadline: self.context.configuration.sendDeadline
            )
            let end = self.context.now()
            await credentials.report(credentials.change(by: answers, for: subject, now: end), now: end)
            let result = self.judge(answers, to: attempts, of: chunk, line)
            if isProbe { breakers.endProbe(of: line) }
            return result
        }
    }

    /// The credential that pushes of the batch to an environment use.
    func subject(in environment: APNsEnvironment) -> CredentialFailure.Subject {
        CredentialFailure.Subject(
            app: self.batch.app,
            environment: environment,
            pushType: self.batch.headers.pushType
        )
    }

    /// Records the responses in the circuit breaker, and decides the result of each target.
    func judge(_ answers: [SendOutcome], to attempts: [TargetAttempt], of chunk: Chunk, _ line: Circuit) -> ChunkResult
    {
        let now = self.context.now()
        let verdicts = answers.map { SendDisposition($0) }
        let evidence = ChunkObservation(verdicts) { self.batch.targets.tokenHash(at: attempts[$0].index) }
        if self.context.breakers.note(evidence, of: line, now: now) { self.context.wake() }
        // Targets of an open circuit wait for its probe. Targets that found no free stream wait for a short delay.
        lazy var retry = self.retryTime(of: line, now: now)
        let rush = now.advanced(by: self.context.configuration.retryBackoff.maximum / .seconds(1))
        var result = ChunkResult(chunk: chunk)
        var putOff: [String: Int] = [:]
        var generator = SystemRandomNumberGenerator()
        for (attempt, verdict) in zip(attempts, verdicts) {
            let deferrals = result.deferrals.count
            switch verdict {
            case .delivered: continue
            case .final(let outcome): result.fail(attempt, outcome)
            case .again(let outcome):
                result.note(self.rule.again(attempt, now: now, using: &generator), attempt, else: outcome)
            case .later(let outcome, let delay):
                let decision = self.rule.later(attempt, after: delay, now: now, using: &generator)
                result.note(decision, attempt, else: outcome)
            case .unreachable, .refused: result.deferrals.append(attempt.deferred(until: retry))
            case .notSent: result.deferrals.append(attempt.deferred(until: rush))
            case .cancelled: result.deferrals.append(attempt.deferred(until: Deferral.atOnce))
            }
            guard result.deferrals.count > deferrals, let reason = verdict.deferralReason else { continue }
            putOff[reason, default: 0] += 1
        }
        self.context.metrics.putOff(putOff)
        return result
    }

    /// Returns the time from which targets that were not sent can be claimed again.
    ///
    /// If all circuits of the batch are open, this process does not claim it, and other claims are free when a pause
    /// ends early. If only some are open, the batch would be claimed over and over, so it waits.
    private func retryTime(of line: Circuit, now: Date) -> Date {
        let configuration = self.context.configuration
        guard case .open(let until) = self.context.breakers.standing(of: line, now: now) else {
            return now.advanced(by: configuration.retryBackoff.delay(after: 1) / .seconds(1))
        }
        if self.context.breakers.arePaused(self.routes, now: now) { return Deferral.atOnce }
        return min(until, now.advanced(by: configuration.credentialLifetime / .seconds(1)))
    }

    /// Returns a request that sends each target once.
    func request(for attempts: [TargetAttempt]) -> SendBatch {
        var tokens = TokenList()
        tokens.reserveCapacity(attempts.count)
        for attempt in attempts { self.batch.targets.withToken(at: attempt.index) { tokens.append($0) } }
        return SendBatch(
            headers: self.claimed.headers,
            payload: self.batch.payload.selecting(attempts.lazy.map(\.index)),
            tokens: tokens,
            firstID: self.batch.id.apnsID(at: 0),
            idOffsets: attempts.map { UInt32($0.index) },
            maximumResends: self.rule.isOnce ? 0 : nil
        )
    }
}

extension ChunkResult {
    fileprivate mutating func fail(_ attempt: TargetAttempt, _ outcome: Outcome) {
        self.failures.append(Settlement.Failure(index: attempt.index, outcome: outcome))
    }

    fileprivate mutating func note(
        _ decision: TargetRetryPolicy.Decision,
        _ attempt: TargetAttempt,
        else outcome: Outcome
    ) {
        switch decision {
        case .resend(let deferral): self.deferrals.append(deferral)
        case .end: self.fail(attempt, outcome)
        }
    }
}

extension TargetList {
    /// Returns a hash of a target's token, which is stable within one process.
    fileprivate func tokenHash(at index: Int) -> Int {
        self.withToken(at: index) { token in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(token))
            return hasher.finalize()
        }
    }
}

/// Targets of a batch that are sent and settled together.
struct Chunk: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// Consecutive targets without a known attempt.
        case fresh(Range<Int>)

        /// Deferred targets that are due, by their indices.
        case due([Deferral])
    }

    let part: Part

    var count: Int {
        switch self.part {
        case .fresh(let range): range.count
        case .due(let deferrals): deferrals.count
        }
    }

    /// Returns an attempt at each target that meets a condition, in order.
    func attempts(where isIncluded: (Int) -> Bool) -> [TargetAttempt] {
        var attempts: [TargetAttempt] = []
        attempts.reserveCapacity(self.count)
        switch self.part {
        case .fresh(let range):
            for index in range where isIncluded(index) { attempts.append(TargetAttempt(index: index)) }
        case .due(let due): for target in due where isIncluded(target.index) { attempts.append(TargetAttempt(target)) }
        }
        return attempts
    }
}

/// The result of a chunk: each target was delivered, failed or is deferred.
struct ChunkResult: Sendable {
    let chunk: Chunk

    /// The targets with an outcome other than `delivered`.
    var failures: [Settlement.Failure] = []

    /// The targets without an outcome, in any order.
    var deferrals: [Deferral] = []
}

/// A target to send, with its earlier attempts.
struct TargetAttempt: Hashable, Sendable {
    let index: Int

    /// See ``Deferral/attempts``.
    var attempts = 0

    /// See ``Deferral/delays``.
    var delays = 0

    /// Returns a deferral of the target that counts no attempt.
    func deferred(until time: Date) -> Deferral {
        Deferral(index: self.index, attempts: self.attempts, delays: self.delays, notBefore: time)
    }
}

extension TargetAttempt {
    init(_ deferral: Deferral) {
        self.init(index: deferral.index, attempts: deferral.attempts, delays: deferral.delays)
    }
}
