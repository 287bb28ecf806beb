// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// The message of a job: each run creates one campaign, with the ID of the run.
public struct JobCampaign: Hashable, Sendable, Codable {
    /// When the campaign of a run begins.
    public enum Start: Hashable, Sendable, Codable {
        /// As soon as the run is due.
        case now

        /// At that time of the day in each device's zone, on the first day that has not begun to pass anywhere.
        ///
        /// The date of the local time does not count.
        case local(LocalStart)
    }

    /// The display name of the campaigns; at most 256 bytes.
    public var name: String?

    public var audience: Audience
    public var message: CampaignMessage
    public var start: Start

    /// How many notifications are sent in a second at most, or `nil`.
    public var ratePerSecond: Int?

    /// How many seconds behind its beginning nothing more is sent; `nil` means never.
    public var lifetimeSeconds: Int?

    public var tokenValidation: TokenValidation?

    /// The campaign that it copies, or `nil`.
    public var source: CampaignID?

    public init(
        name: String? = nil,
        audience: Audience,
        message: CampaignMessage,
        start: Start = .now,
        ratePerSecond: Int? = nil,
        lifetimeSeconds: Int? = nil
    ) {
        self.name = name
        self.audience = audience
        self.message = message
        self.start = start
        self.ratePerSecond = ratePerSecond
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Copies a campaign: its name, audience, message, rate, and how long it lasts.
    public init(copying campaign: Campaign) {
        self.name = campaign.name
        self.audience = campaign.audience
        self.message = campaign.message
        self.ratePerSecond = campaign.ratePerSecond
        self.tokenValidation = campaign.tokenValidation
        self.source = campaign.id
        self.lifetimeSeconds = campaign.expiresAt.map { end in
            max(1, Int(clamping: end.timeIntervalSince(campaign.planningTime).rounded()))
        }
        switch campaign.start {
        case .now, .at: self.start = .now
        case .local(let start): self.start = .local(start)
        }
    }

    /// The campaign of a run.
    ///
    /// It has the name of the job unless ``name`` is set.
    public func campaign(of run: JobRun, by job: Job, now: Date) -> Campaign {
        self.campaign(run.id.campaign, of: job.app, named: job.id.rawValue, now: now)
    }

    /// The campaign of an id.
    ///
    /// It has the given name unless ``name`` is set.
    public func campaign(_ id: CampaignID, of app: AppID, named name: String, now: Date) -> Campaign {
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let start: CampaignStart =
            switch self.start {
            case .now: .now
            case .local(let local): .local(local.next(after: now))
            }
        let lifetime = self.lifetimeSeconds.map(TimeInterval.init)
        return Campaign(
            id: id,
            app: app,
            name: self.name ?? name,
            audience: self.audience,
            message: self.message,
            start: start,
            ratePerSecond: self.ratePerSecond,
            expiresAt: lifetime.map { start.planningTime(createdAt: now).addingTimeInterval($0) },
            tokenValidation: self.tokenValidation,
            createdAt: now
        )
    }
}

extension LocalStart {
    /// The first day on which no place on Earth has passed the time of the day.
    fileprivate func next(after now: Date) -> LocalStart {
        let day: Int64 = 86_400
        let timeOfDay = self.time.secondsAsUTC % day
        // The first place reaches it 14 hours before UTC does.
        let earliest = now.millisecondsSince1970 / 1000 + 14 * 3600 - timeOfDay
        let days = (earliest + day - 1) / day
        var start = self
        start.time = LocalTime(secondsAsUTC: days * day + timeOfDay)
        return start
    }
}
