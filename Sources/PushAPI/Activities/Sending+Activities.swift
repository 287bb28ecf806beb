// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Sending {
    /// What a change of activities was answered, and what it has sent.
    struct ActivityWork: Sendable {
        let answer: IdempotencyRecord.Answer

        /// `nil` where nothing was sent.
        let notification: NotificationID?
    }

    /// Makes the record of a change of activities in its transaction.
    struct ActivityNoting: Sendable {
        fileprivate let once: OnceOnly?

        /// - Parameters:
        ///   - now: the time of the call.
        ///   - work: what is answered to what the change has come to; `nil` where it was refused.
        /// - Returns: what makes the record; `nil` where the request has no name.
        func callAsFunction<Value>(
            now: Date,
            _ work: @escaping @Sendable (Value) throws -> ActivityWork?
        ) -> AnswerNote<Value>? {
            guard let once = self.once else { return nil }
            return { value in
                guard let work = try work(value) else { return nil }
                let notification = work.notification ?? NotificationID(now: now)
                return once.record(of: notification, answer: work.answer, createdAt: now)
            }
        }
    }

    /// Carries out a change of activities, or answers what it was answered before.
    ///
    /// What it sends is known within its transaction only, so that the record is made there.
    /// - Parameters:
    ///   - call: the request.
    ///   - body: its body.
    ///   - change: carries it out; gets what makes the record.
    /// - Returns: the answer of `change`, or 200 when it was waited for until every push had its outcome.
    /// - Throws: ``Problem``, and what the store and `change` throw.
    func once(
        _ call: APICall,
        body: [UInt8],
        changing change: (ActivityNoting) async throws -> ActivityWork
    ) async throws -> Response {
        let once = try OnceOnly(call, body: body, store: self.store)
        if let once, let record = try await once.earlier() { return try await self.repeatedChange(record) }
        let work: ActivityWork
        do {
            work = try await change(ActivityNoting(once: once))
        } catch let error as StoreError where error.code == .conflict {
            // The same request came a second time while this one was on its way.
            guard let once, let record = try await once.earlier() else { throw error }
            return try await self.repeatedChange(record)
        }
        guard self.waits else { return Response(work.answer) }
        let settled: IdempotencyRecord.Answer
        if let notification = work.notification {
            let (wakes, wake) = self.signals.subscribe(to: notification)
            defer { wake.finish() }
            // It may be settled already.
            wake.yield()
            let status = try await self.waiter.wait(for: notification, wakes: wakes, wake: wake)?.status
            guard let status, status.isDone else { return Response(work.answer) }
            settled = try work.answer.completed(try await self.outcomes(status))
        } else {
            settled = try work.answer.completed(nil)
        }
        if let once { try await self.store.setAnswer(settled, for: once.slot) }
        return Response(settled)
    }

    private func repeatedChange(_ record: IdempotencyRecord) async throws -> Response {
        try await self.repeated(record) { first, outcomes in try first.completed(outcomes) }
    }
}

extension IdempotencyRecord.Answer {
    /// The answer once every push has its outcome: it says what they came to in its member `outcome`.
    fileprivate func completed(_ outcomes: NotificationBody?) throws -> IdempotencyRecord.Answer {
        var answer = self
        answer.status = HTTPResponse.Status.ok.code
        guard let outcomes, case .object(var members) = try JSONValue(json: self.body) else { return answer }
        members["outcome"] = try JSONValue(json: try JSONBody.bytes(outcomes))
        answer.body = try JSONValue.object(members).json()
        return answer
    }
}
