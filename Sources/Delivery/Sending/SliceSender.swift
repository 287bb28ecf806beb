// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends slices of one batch once, and says what became of each target.
struct SliceSender: Sendable {
    let claimed: ClaimedBatch
    let routes: BatchRoutes

    /// When a target is sent to again.
    let rule: ResendRule

    let context: DeliveryContext

    private var batch: Batch { self.claimed.batch }

    /// Sends a slice, its environments side by side, each in one piece.
    ///
    /// - Parameters:
    ///   - slice: the targets.
    ///   - postponed: the environments that are left for when the batch is claimed next.
    /// - Returns: what became of each target.
    func send(_ slice: Slice, leaving postponed: Set<APNsEnvironment>) async -> SliceResult {
        let targets = slice.targets(notBefore: self.batch.createdAt)
        return await withTaskGroup(of: SliceResult.self) { group in
            var whole = SliceResult(slice: slice)
            for leg in self.routes.legs {
                let own = targets.filter { self.batch.targets.environment(at: $0.index) == leg.environment }
                if own.isEmpty { continue }
                if postponed.contains(leg.environment) {
                    let now = self.context.now()
                    whole.deferrals += own.map { $0.postponed(to: now) }
                } else {
                    group.addTask { await self.send(own, of: slice, along: leg) }
                }
            }
            return await group.reduce(into: whole) { whole, part in
                whole.failures += part.failures
                whole.deferrals += part.deferrals
            }
        }
    }

    private func send(_ targets: [Deferral], of slice: Slice, along leg: BatchRoutes.Leg) async -> SliceResult {
        var result = SliceResult(slice: slice)
        let now = self.context.now()
        let subject = CredentialTrouble.Subject(
            app: self.batch.app,
            environment: leg.environment,
            pushType: self.batch.headers.pushType
        )
        switch leg.route {
        case .nowhere(let failure):
            await self.context.credentials.note(.failed(failure.code), for: subject, now: now)
            result.failures = targets.map { Settlement.Failure(index: $0.index, outcome: .failed(failure.code)) }
        case .line(let line):
            let admission = self.admission(to: line, now: now)
            if admission == .refused {
                let time = self.turn(of: line, now: now)
                result.deferrals = targets.map { $0.postponed(to: time) }
                return result
            }
            let answers = await self.attempt(targets, to: line.destination)
            await self.context.credentials.note(answers, for: subject, now: self.context.now())
            self.judge(answers, of: targets, on: line, into: &result)
            if admission == .asProbe { self.context.breakers.endProbe(of: line) }
        }
        return result
    }

    /// Whether targets may be sent along a line.
    private enum Admission {
        case granted
        /// Nobody else of those that have another line sends there meanwhile.
        case asProbe
        case refused
    }

    /// Whether targets may be sent along a line now.
    ///
    /// Batches that have another line run side by side, and each of them would wait for one that does not answer, in the
    /// place of others: one at a time is enough to find out.
    private func admission(to line: Line, now: Date) -> Admission {
        switch self.context.breakers.standing(of: line, now: now) {
        case .answering: .granted
        case .paused: .refused
        case .unproven where self.routes.lines.count == 1: .granted
        case .unproven: self.context.breakers.beginProbe(of: line) ? .asProbe : .refused
        }
    }

    private func judge(
        _ answers: [SendOutcome],
        of targets: [Deferral],
        on line: Line,
        into result: inout SliceResult
    ) {
        let now = self.context.now()
        let configuration = self.context.configuration
        let verdicts = answers.map { SendVerdict($0) }
        let evidence = Evidence(answers) { place in
            self.batch.targets.withToken(at: targets[place].index) { token in
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(token))
                return hasher.finalize()
            }
        }
        if self.context.breakers.note(evidence, of: line, now: now) { self.context.wake() }
        // What the line is paused for waits for that, what did not get its turn only for the rush to be over.
        let turn = self.turn(of: line, now: now)
        let rush = now.advanced(by: configuration.retryBackoff.maximum / .seconds(1))
        var generator = SystemRandomNumberGenerator()
        for (target, verdict) in zip(targets, verdicts) {
            switch verdict {
            case .delivered: continue
            case .final(let outcome): result.fail(target, outcome)
            case .again(let outcome):
                result.note(self.rule.again(target, now: now, using: &generator), target, else: outcome)
            case .later(let outcome, let delay):
                let decision = self.rule.later(target, after: delay, now: now, using: &generator)
                result.note(decision, target, else: outcome)
            case .unreachable, .refused: result.deferrals.append(target.postponed(to: turn))
            case .notSent: result.deferrals.append(target.postponed(to: rush))
            case .cancelled: result.deferrals.append(target.postponed(to: now))
            }
        }
    }

    /// When what keeps its turn may be claimed again.
    ///
    /// While all of the batch is paused nobody here claims it, and it is free at once for when the pause ends early. While
    /// only a part of it is, it would be claimed over and over.
    private func turn(of line: Line, now: Date) -> Date {
        let configuration = self.context.configuration
        guard case .paused(let until) = self.context.breakers.standing(of: line, now: now) else {
            return now.advanced(by: configuration.retryBackoff.delay(after: 1) / .seconds(1))
        }
        if self.context.breakers.arePaused(self.routes, now: now) { return now }
        return min(until, now.advanced(by: configuration.credentialLifetime / .seconds(1)))
    }

    /// Sends to targets once.
    ///
    /// - Returns: an answer for each, in the same order.
    private func attempt(_ targets: [Deferral], to destination: APNsDestination) async -> [SendOutcome] {
        var tokens = TokenList()
        tokens.reserveCapacity(targets.count)
        for target in targets { self.batch.targets.withToken(at: target.index) { tokens.append($0) } }
        let send = SendBatch(
            headers: self.claimed.headers,
            payload: self.batch.payload.selecting(targets.lazy.map(\.index)),
            tokens: tokens,
            firstID: self.batch.id.apnsID(at: 0),
            idOffsets: targets.map { UInt32($0.index) }
        )
        self.context.metrics.attempted(targets.count, in: self.batch.lane)
        return await self.context.client.send(
            send,
            to: destination,
            lane: self.batch.lane == .urgent ? .urgent : .bulk,
            deadline: self.context.configuration.sendDeadline
        )
    }
}

extension SliceResult {
    fileprivate mutating func fail(_ target: Deferral, _ outcome: Outcome) {
        self.failures.append(Settlement.Failure(index: target.index, outcome: outcome))
    }

    fileprivate mutating func note(_ decision: ResendRule.Decision, _ target: Deferral, else outcome: Outcome) {
        switch decision {
        case .resend(let deferral): self.deferrals.append(deferral)
        case .end: self.fail(target, outcome)
        }
    }
}

extension Deferral {
    /// The same target, which was not sent to, at a later time.
    fileprivate func postponed(to time: Date) -> Deferral {
        Deferral(index: self.index, attempts: self.attempts, delays: self.delays, notBefore: time)
    }
}
