// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
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

    /// Sends to each recipient what the campaign would.
    ///
    /// - Throws: ``Problem`` `.noTargets` when nobody can be reached, `.invalidRequest` when there is a recipient for
    ///   whom no payload can be made.
    func send(_ campaign: Campaign, to request: CampaignTestRequest, now: Date) async throws -> NotificationStatus {
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
        let plan = NotificationPlan(
            app: campaign.app,
            parts: parts.map { part in
                NotificationPlan.Part(lane: .urgent, headers: headers, payload: part.payload, targets: part.targets)
            },
            now: now
        )
        try await self.metrics.accept(plan, in: self.store)
        return plan.status
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
