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

/// Sends a campaign's message to a few devices, as an ordinary notification.
struct CampaignTester: Sendable {
    let store: any PushStore
    let metrics: AcceptanceMetrics

    /// Sends to each recipient what the campaign would, once for each request that its caller named.
    ///
    /// - Parameters:
    ///   - call: the request.
    ///   - body: its body.
    ///   - campaign: the campaign.
    ///   - now: the time of day.
    /// - Returns: 202, or what the request was answered before.
    /// - Throws: ``Problem``, and what the store throws.
    func once(_ call: APICall, body: [UInt8], of campaign: Campaign, now: () -> Date) async throws -> Response {
        let once = try OnceOnly(call, body: body, store: self.store)
        if let once, let record = try await once.earlier() { return Response(record.answer, isReplayed: true) }
        let plan = try await self.plan(campaign, for: try CampaignTestRequest(body), now: now())
        let notification = plan.notification
        let answer = try IdempotencyRecord.Answer(
            NotificationBody(plan.status),
            status: .accepted,
            location: "/v1/apps/\(campaign.app)/notifications/\(notification.id)"
        )
        do {
            let note = once?.note(notification, answer: answer)
            try await self.metrics.accept(plan, noting: note, in: self.store)
        } catch let error as StoreError where error.code == .conflict {
            // The same request came a second time while this one was on its way.
            guard let once, let record = try await once.earlier() else { throw error }
            return Response(record.answer, isReplayed: true)
        }
        return Response(answer)
    }

    /// Plans what each recipient is sent: what the campaign would send it.
    ///
    /// - Throws: ``Problem`` `.noTargets` when nobody can be reached, `.invalidRequest` when there is a recipient for
    ///   whom no payload can be made.
    private func plan(
        _ campaign: Campaign,
        for request: CampaignTestRequest,
        now: Date
    ) async throws -> NotificationPlan {
        let members = try await self.members(request, app: campaign.app)
        guard !members.isEmpty else {
            throw Problem(.noTargets, "No device of those that the request names can be reached.")
        }
        let parts = campaign.message.compose(members)
        let failed = parts.filter { $0.failure != nil }
        guard failed.isEmpty else {
            let count = failed.reduce(0) { $0 + $1.targets.count }
            let codes = Set(failed.compactMap(\.failure?.rawValue)).sorted().joined(separator: ", ")
            let path = FieldPath.root.member(request.devices.isEmpty ? "users" : "devices")
            let rule = "devices for which the message can be made"
            throw Problem(.invalidRequest, at: path, expected: rule, got: "\(count) without (\(codes))")
        }
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let headers = try campaign.message.headers(for: campaign.app, sentAt: now)
        return NotificationPlan(
            app: campaign.app,
            parts: parts.map { part in
                NotificationPlan.Part(lane: .urgent, headers: headers, payload: part.payload, targets: part.targets)
            },
            now: now
        )
    }

    private func members(_ request: CampaignTestRequest, app: AppID) async throws -> [AudienceMember] {
        var members: [AudienceMember] = []
        for installation in request.devices {
            guard let device = try await self.store.device(installation, of: app), device.status.isReachable else {
                continue
            }
            let details = MemberDetails(device.profile)
            members.append(AudienceMember(place: 0, target: device.target, details: details))
        }
        guard !request.users.isEmpty else { return members }
        return try await self.store.members(
            of: .users(request.users),
            app: app,
            in: AudienceRange(),
            limit: Batch.maximumTargets,
            depth: .all
        )
    }
}
