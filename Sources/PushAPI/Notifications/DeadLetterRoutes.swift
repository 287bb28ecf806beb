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

/// What of a notification failed, and sending that again: below `/v1/apps/{app}/notifications/{notification}`.
struct DeadLetterRoutes: APIRoutes {
    let store: any PushStore
    let reader: NotificationReader
    let bodyLimit: Int
    let metrics: AcceptanceMetrics
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let one = "/v1/apps/{app}/notifications/{notification}"
        return [
            APIRoute(.get, "\(one)/failures", .scopes([.send, .read]), self.list),
            APIRoute(.post, "\(one):resend", .scopes([.send]), self.resend),
        ]
    }

    private func list(_ call: APICall) async throws -> Response {
        let query = try call.query("reason", "retryable", "after", "limit")
        let page = try PageRequest(query)
        let cursor = try page.cursor { APNsID(canonical: $0) }
        let filter = FailureFilter(reason: query["reason"], isRetryable: try Self.flag("retryable", query))
        let status = try await self.reader.status(call)
        let failures = try await self.store.deadLetters(
            of: status.notification.id,
            matching: filter,
            after: cursor,
            limit: page.limit
        )
        let elements = failures.elements.map { OutcomeBody($0, in: status) }
        return try .json(FailureListBody(failures: elements, next: failures.next?.description))
    }

    private func resend(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let request = try ResendRequest(try await call.body(upTo: self.bodyLimit))
        let status = try await self.reader.status(call)
        let old = status.notification
        guard status.isDone else {
            throw Problem(
                .notificationNotFinal,
                "\(status.remaining) targets of notification \(old.id) are still open."
            )
        }
        if let problem = try await self.resendProblem(old.id) { throw problem }
        let parts = try await self.parts(of: old.id)
        // What is old is removed piece by piece: only of one that is still there have all parts been seen.
        _ = try await self.reader.status(call)
        guard !parts.isEmpty else {
            throw Problem(.nothingToResend, "No target of notification \(old.id) failed in a way that may pass.")
        }
        let plan = try self.plan(old, parts, request)
        do {
            try await self.metrics.accept(plan, in: self.store)
        } catch let error as StoreError where error.code == .conflict {
            // Somebody else was faster.
            throw try await self.resendProblem(old.id) ?? error
        }
        let location = "/v1/apps/\(old.app)/notifications/\(plan.notification.id)"
        return try .json(NotificationBody(plan.status), status: .accepted, headers: [.location: location])
    }

    private func resendProblem(_ old: NotificationID) async throws -> Problem? {
        guard let resend = try await self.store.resend(of: old) else { return nil }
        return Problem(.notificationResent, "Notification \(old) was sent again as \(resend).")
    }

    /// The batches of a notification with the places of their targets that may be sent to again.
    private func parts(of notification: NotificationID) async throws -> [(batch: Batch, indices: [Int])] {
        var indices: [BatchID: [Int]] = [:]
        var cursor: APNsID?
        repeat {
            let page = try await self.store.deadLetters(
                of: notification,
                matching: FailureFilter(isRetryable: true),
                after: cursor,
                limit: 1000
            )
            for failure in page.elements {
                let (batch, index) = BatchID.locate(failure.apnsID)
                indices[batch, default: []].append(index)
            }
            cursor = page.next
        } while cursor != nil
        var parts: [(batch: Batch, indices: [Int])] = []
        for (id, places) in indices.sorted(by: { $0.key < $1.key }) {
            guard let batch = try await self.store.batch(id) else { continue }
            parts.append((batch, places))
        }
        return parts
    }

    private func plan(
        _ old: PushModel.Notification,
        _ parts: [(batch: Batch, indices: [Int])],
        _ request: ResendRequest
    ) throws(Problem) -> NotificationPlan {
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let expiration = request.expiration ?? parts.first?.batch.headers.expiration
        do {
            return try NotificationPlan(
                resending: old,
                parts,
                expiration: request.expiration,
                expiresAt: expiration?.patience(now: now),
                now: now
            )
        } catch {
            throw Problem(.invalidRequest, error.message, faults: [error])
        }
    }

    private static func flag(_ name: String, _ query: [String: String]) throws(Problem) -> Bool? {
        switch query[name] {
        case nil: return nil
        case "true": return true
        case "false": return false
        case .some(let text):
            let found = "\(text.utf8.count) other characters"
            throw Problem(.invalidRequest, at: .query(name), expected: "'true' or 'false'", got: found)
        }
    }
}
