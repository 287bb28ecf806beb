// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a job does.
public enum JobWork: Hashable, Sendable, Codable {
    /// Sends a message to an audience: each run makes one campaign.
    case campaign(JobCampaign)

    /// Changes the Live Activities that fit a query.
    case activities(JobActivities)

    /// Calls the receiver of a webhook, signed.
    case webhook(JobWebhook)

    /// Is done by a program that has registered the job under its name.
    case code

    /// What kind of work it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case notification
        case campaign
        case activities
        case webhook
        case code
    }

    /// What kind of work it is.
    public var kind: Kind {
        switch self {
        case .campaign(let campaign): campaign.source == nil ? .notification : .campaign
        case .activities: .activities
        case .webhook: .webhook
        case .code: .code
        }
    }
}
