// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import PushModel
import PushStore
import Work

extension SendRequestHandler {
    /// The response to a change of activities, and the notification that it sent.
    struct ActivityWork: Sendable {
        let answer: IdempotencyRecord.Answer

        /// `nil` where nothing was sent.
        let notification: NotificationID?
    }

    /// Makes the record of a change of activities in its transaction.
    struct ActivityNoting: Sendable {
        fileprivate let once: IdempotentRequest?

        /// - Returns: a function that creates the record; `nil` for a request without an idempotency key.
        func callAsFunction<Value>(
            now: Date,
            _ work: @escaping @Sendable (Value) throws -> ActivityWork?
        ) -> IdempotencyRecordBuilder<Value>? {
            guard let once = self.once else { return nil }
            return { value in
                guard let work = try work(value) else { return nil }
                let notification = work.notification ?? NotificationID(now: now)
                return once.record(of: notification, answer: work.answer, createdAt: now)
            }
        }
    }

    /// Executes a change of activities, or replays the stored response of an earlier execution.
    ///
    /// The pushes are known only within the transaction, so the record is created there.
    /// - Returns: the response of `change`, or 200 if it waited until every push had its outcome.
    /// - Throws: ``Problem``, and the errors of the store and of `change`.
    func once(
        _ call: AuthorizedRequest,
        body: [UInt8],
        changing change: (ActivityNoting) async throws -> ActivityWork
    ) async throws -> Response {
        let once = try IdempotentRequest(call, body: body, store: self.store)
        let logger = call.context.logger
        if let once, let record = try await once.earlier() { return await self.repeatedChange(record, logger) }
        do {
            return try await self.carryOut(change, once, logger)
        } catch let error as StoreError where error.code == .conflict {
            // The same request came a second time while this one was on its way.
            guard let once, let record = try await once.earlier() else { throw error }
            return await self.repeatedChange(record, logger)
        }
    }

    /// Carries out a change, and waits for its pushes where that is asked for; once it is stored nothing is thrown.
    private func carryOut(
        _ change: (ActivityNoting) async throws -> ActivityWork,
        _ once: IdempotentRequest?,
        _ logger: Logger
    ) async throws -> Response {
        let name = self.waits ? once?.slot : nil
        if let name { self.waiter.named.begin(name) }
        defer { if let name { self.waiter.named.end(name) } }
        let work = try await change(ActivityNoting(once: once))
        guard self.waits else { return Response(work.answer) }
        let settled: IdempotencyRecord.Answer
        if let notification = work.notification {
            let subscription = self.signals.subscribe(to: notification)
            defer { subscription.end() }
            // It may be settled already.
            subscription.wake()
            let waited = await self.waiter.wait(for: notification, wakes: subscription, logger: logger) { standing in
                try work.answer.completed(try await self.outcomes(standing.status))
            }
            guard case .done(let answer) = waited else { return Response(work.answer) }
            settled = answer
        } else {
            settled = work.answer.done
        }
        if let name { await self.keep(settled, for: name, logger) }
        return Response(settled)
    }

    private func repeatedChange(_ record: IdempotencyRecord, _ logger: Logger) async -> Response {
        await self.repeated(record, logger) { first, outcomes in try first.completed(outcomes) }
    }
}

extension IdempotencyRecord.Answer {
    /// The answer where there was no push.
    fileprivate var done: IdempotencyRecord.Answer {
        var answer = self
        answer.status = HTTPResponse.Status.ok.code
        return answer
    }

    /// The response when every push has its outcome: its member `outcome` has the outcomes.
    fileprivate func completed(_ outcomes: NotificationResponse) throws -> IdempotencyRecord.Answer {
        var answer = self.done
        guard case .object(var members) = try JSONValue(json: self.body) else { return answer }
        members["outcome"] = try JSONValue(json: JSONResponseEncoder.bytes(outcomes))
        answer.body = try JSONValue.object(members).json()
        return answer
    }
}
