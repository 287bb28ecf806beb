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
    let batch: Batch
    let routes: BatchRoutes

    /// When a target is sent to again.
    let rule: ResendRule

    let context: DeliveryContext

    /// Sends a slice, its environments side by side, each in one piece.
    func send(_ slice: Slice) async -> SliceResult {
        let targets = slice.targets(notBefore: self.batch.createdAt)
        return await withTaskGroup(of: SliceResult.self) { group in
            for leg in self.routes.legs {
                let own = targets.filter { self.batch.targets.environment(at: $0.index) == leg.environment }
                guard !own.isEmpty else { continue }
                group.addTask { await self.send(own, of: slice, along: leg) }
            }
            return await group.reduce(into: SliceResult(slice: slice)) { whole, part in
                whole.failures += part.failures
                whole.deferrals += part.deferrals
                whole.unreachable.merge(part.unreachable) { first, _ in first }
            }
        }
    }

    private func send(_ targets: [Deferral], of slice: Slice, along leg: BatchRoutes.Leg) async -> SliceResult {
        var result = SliceResult(slice: slice)
        let subject = CredentialTrouble.Subject(
            app: self.batch.app,
            environment: leg.environment,
            pushType: self.batch.headers.pushType
        )
        switch leg.route {
        case .nowhere(let code):
            await self.context.credentials.note(.failed(code), for: subject, now: self.context.now())
            result.failures = targets.map { Settlement.Failure(index: $0.index, outcome: .failed(code)) }
        case .destination(let destination):
            if case .out(let until) = self.context.reachability.standing(of: destination, now: self.context.now()) {
                result.deferrals = targets.map { $0.postponed(to: until) }
            } else {
                let answers = await self.attempt(targets, to: destination)
                await self.context.credentials.note(answers, for: subject, now: self.context.now())
                self.judge(answers, of: targets, to: destination, into: &result)
            }
        }
        return result
    }

    private func judge(
        _ answers: [SendOutcome],
        of targets: [Deferral],
        to destination: APNsDestination,
        into result: inout SliceResult
    ) {
        let now = self.context.now()
        let configuration = self.context.configuration
        let verdicts = answers.map { SendVerdict($0) }
        let isAnswering = answers.contains(where: \.isAnswer)
        if isAnswering, self.context.reachability.answered(destination) { self.context.wake() }
        // What cannot be reached waits for the destination, what did not get its turn only for the rush to be over.
        var outage = now.advanced(by: configuration.retryBackoff.delay(after: 1) / .seconds(1))
        let rush = now.advanced(by: configuration.retryBackoff.maximum / .seconds(1))
        if !isAnswering, let message = verdicts.lazy.compactMap(\.unreachability).first {
            outage = self.context.reachability.failed(destination, now: now, backoff: configuration.outageBackoff)
            result.unreachable[destination] = message
        }
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
            case .unreachable: result.deferrals.append(target.postponed(to: outage))
            case .notSent: result.deferrals.append(target.postponed(to: rush))
            case .cancelled: result.deferrals.append(target.postponed(to: now))
            }
        }
    }

    /// Sends to targets once.
    ///
    /// - Returns: an answer for each, in the same order.
    private func attempt(_ targets: [Deferral], to destination: APNsDestination) async -> [SendOutcome] {
        var tokens = TokenList()
        tokens.reserveCapacity(targets.count)
        for target in targets { self.batch.targets.withToken(at: target.index) { tokens.append($0) } }
        let send = SendBatch(
            headers: self.batch.headers,
            payload: self.batch.payload.selecting(targets.lazy.map(\.index)),
            tokens: tokens,
            firstID: self.batch.id.apnsID(at: 0),
            idOffsets: targets.map { UInt32($0.index) }
        )
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

extension SendVerdict {
    fileprivate var unreachability: String? {
        if case .unreachable(let message) = self { message } else { nil }
    }
}

extension SendOutcome {
    /// Whether APNs said it: then it can be reached.
    fileprivate var isAnswer: Bool {
        switch self {
        case .accepted, .rejected: true
        case .failed: false
        }
    }
}
