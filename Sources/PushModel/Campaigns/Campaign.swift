// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A message to an audience, sent in shards as they are planned.
///
/// A campaign never changes once it is created; how far it has come is its ``CampaignLifecycle``.
public struct Campaign: Hashable, Sendable, Codable {
    /// The rates that a campaign may be held to, in notifications per second.
    public static let throttles = 1...1_000_000

    /// Names the campaign, and the notification that it sends.
    public let id: CampaignID

    /// The app that it is sent for.
    public let app: AppID

    /// What people call it: at most 256 bytes.
    public let name: String

    /// Who receives it.
    public let audience: Audience

    /// What they receive.
    public let message: CampaignMessage

    /// When it begins.
    public let start: CampaignStart

    /// How many notifications are sent in a second at most, 1...1,000,000; `nil` sends as fast as can be.
    public let throttle: Int?

    /// The time from which nothing more is sent; `nil` means never.
    public let expiresAt: Date?

    /// What makes it a screening; `nil` for a campaign that people see.
    public let screening: Screening?

    /// Whether it is created paused: it begins once it is resumed, not before its start.
    public var startsPaused: Bool { self.pausesFirst ?? false }

    /// Optional, since those of older versions were stored without.
    private let pausesFirst: Bool?

    /// When it was created.
    ///
    /// Kept to the millisecond, as all times here.
    public let createdAt: Date

    /// Describes a campaign.
    ///
    /// - Parameters:
    ///   - id: its id.
    ///   - app: the app that it is sent for.
    ///   - name: what people call it.
    ///   - audience: who receives it.
    ///   - message: what they receive.
    ///   - start: when it begins.
    ///   - throttle: how many notifications are sent in a second at most, or `nil`.
    ///   - expiresAt: the time from which nothing more is sent, or `nil`.
    ///   - screening: what makes it a screening, or `nil`.
    ///   - startsPaused: whether it begins only once it is resumed.
    ///   - createdAt: when it was created.
    public init(
        id: CampaignID,
        app: AppID,
        name: String,
        audience: Audience,
        message: CampaignMessage,
        start: CampaignStart = .now,
        throttle: Int? = nil,
        expiresAt: Date? = nil,
        screening: Screening? = nil,
        startsPaused: Bool = false,
        createdAt: Date
    ) {
        self.id = id
        self.app = app
        self.name = name
        self.audience = audience
        self.message = message
        self.start = start
        self.throttle = throttle
        self.expiresAt = expiresAt
        self.screening = screening
        self.pausesFirst = startsPaused ? true : nil
        self.createdAt = createdAt
    }

    /// How many notifications are sent in a second at most, by its throttle or by the spread of a screening.
    public var rate: Double? { self.screening.map(\.rate) ?? self.throttle.map(Double.init) }

    /// When planning begins.
    public var planningTime: Date { self.start.planningTime(createdAt: self.createdAt) }
}
