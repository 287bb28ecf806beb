// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import PushModel
package import PushStore

/// Calls webhooks for jobs, with a signature like all requests to webhooks.
///
/// Every attempt at a run has the same `webhook-id`, so that the webhook can ignore repetitions.
package struct JobWebhookCaller: Sendable {
    private let store: any WebhookStore
    private let sender: WebhookSender

    package init(store: any WebhookStore, sender: WebhookSender) {
        self.store = store
        self.sender = sender
    }

    /// Makes one attempt at a run whose work is a call: it is done with any 2xx, and not repeated behind a 410.
    ///
    /// - Throws: `StoreError` while the webhook cannot be looked up; nothing was called then.
    package func call(_ claimed: ClaimedJobRun) async throws -> JobRunResult {
        let (job, run) = (claimed.job, claimed.run)
        guard case .webhook(let work) = job.definition.work else {
            return JobRunResult(.failed, message: "The job calls no webhook.", isRepeatable: false)
        }
        let webhook: Webhook
        do {
            guard let found = try await self.store.webhook(work.webhook), found.app == job.app else {
                let message = "The app has no webhook '\(work.webhook)'; it may have been deleted."
                return JobRunResult(.failed, message: message, isRepeatable: false)
            }
            webhook = found
        } catch let error as StoreError where error.isTransient {
            throw error
        } catch {
            return JobRunResult(.failed, message: "The webhook could not be looked up: \(error)")
        }
        guard webhook.state == .active else {
            let message = "The webhook '\(webhook.id)' is paused or disabled. Enable it to have it called."
            return JobRunResult(.failed, message: message, isRepeatable: false)
        }
        let answer = await self.sender.call(
            webhook,
            id: "msg_job_\(run.id)",
            kind: .jobTriggered,
            data: Self.data(of: run, of: job, work: work),
            // A deadline that is damaged may be longer than any clock can wait.
            deadline: .seconds(min(max(0, job.definition.policy.timeoutSeconds), Int(Int32.max)))
        )
        return Self.end(answer)
    }

    private static func data(of run: JobRun, of job: Job, work: JobWebhook) -> JSONValue {
        var members: [String: JSONValue] = [
            "job": .string(job.id.rawValue),
            "run": .string(run.id.description),
            "attempt": .integer(Int64(run.attempt)),
            "dueAt": .string(run.dueAt.formatted(Self.style)),
            "trigger": .string(run.trigger.rawValue),
        ]
        if let body = work.body, let value = try? JSONValue(json: body.bytes) { members["body"] = value }
        return .object(members)
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private static func end(_ answer: WebhookAttemptResult) -> JobRunResult {
        if answer.isSuccess { return JobRunResult(.succeeded, processedCount: 1, responseStatus: answer.status) }
        var message = "There was no response."
        if let status = answer.status { message = "The receiver responded with status \(status)." }
        if let failure = answer.failure { message = "The receiver was not reached (\(failure.rawValue))." }
        if let excerpt = answer.excerpt { message += " \(excerpt)" }
        return JobRunResult(.failed, message: message, responseStatus: answer.status, isRepeatable: !answer.isGone)
    }
}
