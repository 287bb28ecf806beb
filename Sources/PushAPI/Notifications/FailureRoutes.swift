// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The failed targets of a notification, and their resend: below `/v1/apps/{app}/notifications/{notification}`.
struct FailureRoutes: APIRoutes {
    let store: any CampaignStore & DeviceStore & NotificationStore
    let reader: NotificationReader
    let bodyLimit: Int
    let resendLimits: ResendLimits
    let metrics: AcceptanceMetrics
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let one = "/v1/apps/{app}/notifications/{notification}"
        return [
            APIRoute(.get, "\(one)/failures", .scopes([.send, .read]), self.list),
            APIRoute(.post, "\(one):resend", .scopes([.send]), self.resend),
        ]
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("reason", "retryable", "cursor", "limit")
        let page = try PageRequest(query)
        let cursor = try page.cursor { APNsID(canonical: $0) }
        let filter = FailureFilter(reason: query["reason"], isRetryable: try Self.flag("retryable", query))
        let status = try await self.reader.status(call)
        let resends = ResendHistory(try await self.store.resends(of: status.notification.id))
        guard filter.isRetryable != true || !resends.areComplete else {
            return .json(ListBody("failures", of: [OutcomeResponse](), nextCursor: nil))
        }
        let failures = try await self.store.deadLetters(
            of: status.notification.id,
            matching: filter,
            // Failures that were resent are not retryable again: start after them.
            after: filter.isRetryable == true ? [cursor, resends.through].compactMap(\.self).max() : cursor,
            limit: page.limit
        )
        let elements = failures.elements.map { failure in
            var body = OutcomeResponse(failure, in: status)
            body.resentBy = resends.resend(of: failure)
            return body
        }
        return .json(ListBody("failures", of: elements, nextCursor: failures.next?.description))
    }

    private func resend(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let request = try ResendRequest(try await call.body(upTo: self.bodyLimit))
        let status = try await self.reader.status(call)
        let old = status.notification
        guard status.isDone else {
            throw Problem(
                .notificationNotCompleted,
                "\(status.remaining) targets of notification \(old.id) are still open."
            )
        }
        let latest = try await self.store.resends(of: old.id).last
        if let latest, latest.resendThrough == nil { throw Problem.resent(old.id, as: latest.id) }
        var share = try await self.share(of: old, after: latest?.resendThrough)
        let parts = try await self.parts(&share)
        // Old notifications are removed part by part: if this one still exists, all of its parts were read.
        _ = try await self.reader.status(call)
        guard !parts.isEmpty else {
            if let latest { throw Problem.resent(old.id, as: latest.id) }
            let found = "No target of notification \(old.id) that can still be sent to failed in a way that may pass."
            throw Problem(.nothingToResend, found)
        }
        let plan = try self.plan(old, parts, through: share.through, request)
        do {
            try await self.metrics.accept(plan, in: self.store)
        } catch let error as StoreError where error.code == .conflict {
            // A concurrent request was faster.
            guard let other = try await self.store.resends(of: old.id).last else { throw error }
            throw Problem.resent(old.id, as: other.id)
        }
        let location = "/v1/apps/\(old.app)/notifications/\(plan.notification.id)"
        var body = NotificationResponse(plan.status)
        body.hasMore = share.through == nil ? nil : true
        return .json(body, status: .accepted, headers: [.location: location])
    }

    /// The first failures behind a place that may be sent to again, as many as one call takes.
    ///
    /// A campaign went to devices: those that are gone or invalid by now are left out. Whom else a notification went to
    /// was its sender's choice, and stays it.
    private func share(of notification: PushModel.Notification, after start: APNsID?) async throws -> ResendSelection {
        let isToDevices = try await self.isOfCampaign(notification)
        var share = ResendSelection(limits: self.resendLimits)
        var cursor = start
        repeat {
            let page = try await self.store.deadLetters(
                of: notification.id,
                matching: FailureFilter(isRetryable: true),
                after: cursor,
                limit: 1000
            )
            let targets = page.elements.map(\.target)
            let remaining = isToDevices ? try await self.store.registered(targets, of: notification.app) : nil
            for failure in page.elements where remaining?.contains(failure.target) ?? true {
                guard share.add(failure.apnsID) else { return share }
            }
            cursor = page.next
        } while cursor != nil
        return share
    }

    /// Whether a campaign or token validation was sent by a notification, or by the one that it sends again.
    private func isOfCampaign(_ notification: PushModel.Notification) async throws -> Bool {
        var origin = notification.id
        var older = notification.resendOf
        // Notifications that name each other are damaged, and would have no end.
        var seen: Set<NotificationID> = [origin]
        while let id = older, seen.insert(id).inserted {
            origin = id
            older = try await self.store.notification(id)?.notification.resendOf
        }
        return try await self.store.campaign(CampaignID(origin.value)) != nil
    }

    /// The batches of a share, each with the targets alone that are sent to again; cuts it where they are too much.
    private func parts(_ share: inout ResendSelection) async throws -> [(batch: Batch, indices: [Int])] {
        var parts: [(batch: Batch, indices: [Int])] = []
        var bytes = 0
        for (number, (id, places)) in share.batches.enumerated() {
            guard bytes < self.resendLimits.maximumPayloadBytes else {
                share.cut(after: number)
                break
            }
            guard let batch = try await self.store.batch(id)?.selecting(places) else { continue }
            bytes += batch.payload.encoded.count
            parts.append((batch, Array(places.indices)))
        }
        return parts
    }

    private func plan(
        _ old: PushModel.Notification,
        _ parts: [(batch: Batch, indices: [Int])],
        through: APNsID?,
        _ request: ResendRequest
    ) throws(Problem) -> BatchedNotification {
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let expiration = request.expiration ?? parts.first?.batch.headers.expiration
        do {
            return try BatchedNotification(
                resending: old,
                parts,
                through: through,
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

extension Problem {
    /// All that failed of a notification was sent again before.
    fileprivate static func resent(_ old: NotificationID, as resend: NotificationID) -> Problem {
        Problem(.notificationAlreadyResent, "Notification \(old) was sent again as \(resend).")
    }
}
