// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import WallTime

/// A message to an audience, sent as batches of audience pages.
///
/// A campaign never changes after its creation; its ``CampaignLifecycle`` has its progress.
public struct Campaign: Hashable, Sendable, Codable {
    /// The valid rate limits, in notifications per second.
    public static let rateLimits = 1...1_000_000

    /// Identifies the campaign, and the notification that it sends.
    public let id: CampaignID

    public let app: AppID

    /// The display name: at most 256 bytes.
    public let name: String

    public let audience: Audience
    public let message: CampaignMessage
    public let start: CampaignStart

    /// The most notifications per second, 1...1,000,000; `nil` means no limit.
    ///
    /// Up to 1,000 per second, at most 100 notifications are due at the same time, and the rate holds over 10 seconds.
    /// Above that, a tenth of the rate is due every 0.1 seconds.
    public let ratePerSecond: Int?

    /// The time from which nothing more is sent; `nil` means never.
    public let expiresAt: Date?

    /// The settings of a token validation; `nil` for a campaign that users see.
    public let tokenValidation: TokenValidation?

    /// Whether it is created paused: it begins after it is resumed, but not before its start.
    public var startsPaused: Bool { self.pausesFirst ?? false }

    /// Optional, because older versions stored campaigns without it.
    private let pausesFirst: Bool?

    /// When it was created.
    ///
    /// Kept to the millisecond, as all times here.
    public let createdAt: Date

    public init(
        id: CampaignID,
        app: AppID,
        name: String,
        audience: Audience,
        message: CampaignMessage,
        start: CampaignStart = .now,
        ratePerSecond: Int? = nil,
        expiresAt: Date? = nil,
        tokenValidation: TokenValidation? = nil,
        startsPaused: Bool = false,
        createdAt: Date
    ) {
        self.id = id
        self.app = app
        self.name = name
        self.audience = audience
        self.message = message
        self.start = start
        self.ratePerSecond = ratePerSecond
        self.expiresAt = expiresAt
        self.tokenValidation = tokenValidation
        self.pausesFirst = startsPaused ? true : nil
        self.createdAt = createdAt
    }

    /// The maximum number of notifications per second, from the rate limit or the duration of a token validation.
    public var rate: Double? { self.tokenValidation.map(\.rate) ?? self.ratePerSecond.map { Double(max(1, $0)) } }

    public var planningTime: Date { self.start.planningTime(createdAt: self.createdAt) }
}

/// When a campaign begins to send.
public enum CampaignStart: Hashable, Sendable, Codable {
    /// Immediately after its creation.
    case now

    /// At an instant; an instant in the past means immediately.
    case at(Date)

    /// At a local time, in each device's time zone.
    case local(LocalStart)

    /// Returns when the fan-out begins.
    ///
    /// A campaign with a local time begins when the first time zone on Earth reaches it: 14 hours before UTC does.
    public func planningTime(createdAt: Date) -> Date {
        switch self {
        case .now: createdAt
        case .at(let time): max(time, createdAt)
        case .local(let start):
            max(Date(timeIntervalSince1970: Double(start.time.secondsAsUTC) - 14 * 3600), createdAt)
        }
    }
}

/// A local time, and the rules for devices without a time zone or whose time has passed.
public struct LocalStart: Hashable, Sendable, Codable {
    public var time: LocalTime

    /// The IANA name of the time zone for devices without a time zone, or with an unknown one.
    public var fallbackZone: String

    /// Whether devices whose time has passed at the start are sent to immediately; otherwise they are skipped.
    public var sendIfPassed: Bool

    public init(time: LocalTime, fallbackZone: String = "UTC", sendIfPassed: Bool = true) {
        self.time = time
        self.fallbackZone = fallbackZone
        self.sendIfPassed = sendIfPassed
    }
}

/// The size of audience pages, and how far ahead of sending they are enqueued.
public struct FanOutLimits: Hashable, Sendable {
    /// The maximum number of notifications per second; `nil` for no limit.
    public var ratePerSecond: Double?

    /// The time between two pages of a campaign with a rate limit.
    ///
    /// Default: `nil`, the longest of 0.1, 0.2, 0.5, 1, 2, 5 and 10 seconds in which at most 100 devices are due. Above
    /// 1,000 per second, it is 0.1 seconds and has more devices.
    public var turn: Duration?

    /// The maximum number of devices of a page, 1...10,000.
    public var shardSize: Int

    /// The maximum number of enqueued devices without an outcome.
    ///
    /// Default: 60,000. A pause, a cancellation or the removal of a device affects all devices after these.
    public var lookahead: Int

    /// How long before its send time a page of a campaign with a rate limit is enqueued at most.
    ///
    /// Default: 1 second.
    public var lead: Duration

    public init(
        ratePerSecond: Double? = nil,
        turn: Duration? = nil,
        shardSize: Int = Batch.maximumTargets,
        lookahead: Int = 60_000,
        lead: Duration = .seconds(1)
    ) {
        self.ratePerSecond = ratePerSecond
        self.turn = turn
        self.shardSize = min(max(1, shardSize), Batch.maximumTargets)
        self.lookahead = lookahead
        self.lead = lead
    }

    /// The number of devices of the next page: with a rate limit, those of one turn.
    var limit: Int {
        guard let ratePerSecond else { return self.shardSize }
        return min(self.shardSize, RateLimitTurn.devices(perSecond: ratePerSecond, turn: self.turn))
    }
}

/// The turns of a campaign or rollout with a rate limit: the devices of one turn are one page, and due at the same
/// time.
///
/// A low rate has long turns, so that a page does not have very few devices.
enum RateLimitTurn {
    /// The maximum number of devices of a turn, unless the shortest turn has more.
    private static let maximumDevices = 100.0

    /// The turns that are longer than the shortest one, in tenths of a second, the longest first.
    private static let longTurns = [100, 50, 20, 10, 5, 2]

    /// Returns the length of a turn, from 0.1 to 10 seconds: the longest one that has at most 100 devices.
    static func length(perSecond rate: Double) -> Duration {
        let tenths = self.longTurns.first { rate * Double($0) <= 10 * self.maximumDevices } ?? 1
        return .milliseconds(100 * tenths)
    }

    /// Returns the number of devices of a turn, at least 1.
    static func devices(perSecond rate: Double, turn: Duration?) -> Int {
        max(1, Int(clamping: rate * ((turn ?? self.length(perSecond: rate)) / .seconds(1))))
    }
}
