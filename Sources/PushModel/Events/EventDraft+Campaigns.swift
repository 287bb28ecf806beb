// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension EventDraft {
    /// A campaign was created, or its state has changed.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - lifecycle: how far it has come now.
    ///   - former: its state before; `nil` when it was created.
    ///   - time: when that happened.
    /// - Returns: an event of the kind that tells of it; `nil` when the state is the same.
    public static func campaign(
        _ campaign: Campaign,
        _ lifecycle: CampaignLifecycle,
        from former: CampaignState?,
        time: Date
    ) -> EventDraft? {
        guard let kind = EventKind(lifecycle.state, from: former) else { return nil }
        var data: [String: JSONValue] = [
            "campaign": .string(campaign.id.description),
            "name": .string(campaign.name),
            "planned": .integer(Int64(lifecycle.plan?.planned ?? 0)),
        ]
        if case .failed(let reason) = lifecycle.state { data["reason"] = .string(reason) }
        return EventDraft(app: campaign.app, time: time, kind: kind, data: .object(data))
    }

    /// A campaign of which nothing but its id can be read has failed.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - app: its app.
    ///   - reason: why.
    ///   - time: when that was found.
    /// - Returns: `campaign.failed`.
    public static func campaignFailed(
        _ campaign: CampaignID,
        of app: AppID,
        reason: String,
        time: Date
    ) -> EventDraft {
        EventDraft(
            app: app,
            time: time,
            kind: .campaignFailed,
            data: ["campaign": .string(campaign.description), "reason": .string(reason)]
        )
    }
}

extension EventKind {
    /// What tells of a campaign's change into a state; `nil` when it was in that state before.
    fileprivate init?(_ state: CampaignState, from former: CampaignState?) {
        guard state != former else { return nil }
        switch state {
        case .scheduled: self = former == nil ? .campaignScheduled : .campaignResumed
        case .running: self = former == .paused ? .campaignResumed : .campaignStarted
        case .paused: self = .campaignPaused
        case .finished: self = .campaignFinished
        case .cancelled: self = .campaignCancelled
        case .expired: self = .campaignExpired
        case .failed: self = .campaignFailed
        }
    }
}
