// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import WallTime

/// A message to an audience, sent in shards as they are planned.
///
/// A campaign never changes once it is created; how far it has come is its ``CampaignLifecycle``.
public struct Campaign: Hashable, Sendable, Codable {
    /// The rates that a campaign may be held to, in notifications per second.
    public static let throttles = 1...1_000_000

    /// Names the campaign, and the notification that it sends.
    public let id: CampaignID

    public let app: AppID

    /// What people call it: at most 256 bytes.
    public let name: String

    public let audience: Audience
    public let message: CampaignMessage
    public let start: CampaignStart

    /// The most notifications per second, 1...1,000,000; `nil` means no limit.
    ///
    /// The limit holds on average over 10 seconds: up to 1,000 notifications are due at the same time.
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
    public var rate: Double? { self.screening.map(\.rate) ?? self.throttle.map { Double(max(1, $0)) } }

    public var planningTime: Date { self.start.planningTime(createdAt: self.createdAt) }
}

/// When a campaign begins to send.
public enum CampaignStart: Hashable, Sendable, Codable {
    /// As soon as it is created.
    case now

    /// At an instant; one that has passed means at once.
    case at(Date)

    /// At a local time, in each device's time zone.
    case local(LocalStart)

    /// When planning begins.
    ///
    /// A campaign of local times begins when the first place on Earth reaches its time: 14 hours before UTC does.
    public func planningTime(createdAt: Date) -> Date {
        switch self {
        case .now: createdAt
        case .at(let time): max(time, createdAt)
        case .local(let start):
            max(Date(timeIntervalSince1970: Double(start.time.secondsAsUTC) - 14 * 3600), createdAt)
        }
    }
}

/// A local time, and what is done where it cannot be kept.
public struct LocalStart: Hashable, Sendable, Codable {
    public var time: LocalTime

    /// The time zone of devices that told none, or one that is not known, by its IANA name.
    public var fallbackZone: String

    /// Whether devices whose time has passed when the campaign starts are sent to at once, or else not at all.
    public var sendPassed: Bool

    public init(time: LocalTime, fallbackZone: String = "UTC", sendPassed: Bool = true) {
        self.time = time
        self.fallbackZone = fallbackZone
        self.sendPassed = sendPassed
    }
}

/// How large shards are, and how far ahead of what is sent they are planned.
public struct CampaignPace: Hashable, Sendable {
    /// How many notifications are sent in a second at most; `nil` for no limit.
    public var throttle: Double?

    /// The time between two shards of a throttled campaign.
    ///
    /// Default: `nil`, the longest of 0.1, 0.2, 0.5, 1, 2, 5 and 10 seconds in which at most 1,000 devices are due. So a
    /// million devices are about 1,000 batches, and at most 2,500, at 100 a second or more.
    public var turn: Duration?

    /// The most devices of a shard, 1...10,000.
    public var shardSize: Int

    /// How many devices may be planned and have no outcome.
    ///
    /// Default: 60,000. Pausing, cancelling and removing devices take hold of all that is behind that.
    public var lookahead: Int

    /// How long before its turn a shard of a throttled campaign is planned at most.
    ///
    /// Default: 1 second.
    public var lead: Duration

    public init(
        throttle: Double? = nil,
        turn: Duration? = nil,
        shardSize: Int = Batch.maximumTargets,
        lookahead: Int = 60_000,
        lead: Duration = .seconds(1)
    ) {
        self.throttle = throttle
        self.turn = turn
        self.shardSize = min(max(1, shardSize), Batch.maximumTargets)
        self.lookahead = lookahead
        self.lead = lead
    }

    /// How many devices the next shard has: of a throttled campaign, a turn's worth.
    var limit: Int {
        guard let throttle else { return self.shardSize }
        return min(self.shardSize, ThrottleTurn.devices(perSecond: throttle, turn: self.turn))
    }
}

/// The turns of a throttled campaign or rollout: the devices of one turn are due at the same time, as one shard.
///
/// A slow rate has long turns, so that the number of batches follows from the number of devices.
enum ThrottleTurn {
    /// The most devices of a turn, unless the shortest turn has more.
    private static let maximumDevices = 100.0

    /// Turns that are longer than the shortest one, in tenths of a second, the longest first.
    private static let longTurns = [100, 50, 20, 10, 5, 2]

    /// Returns the length of a turn, from 0.1 to 10 seconds: the longest one that has at most 100 devices.
    static func length(perSecond rate: Double) -> Duration {
        let tenths = self.longTurns.first { rate * Double($0) <= 10 * self.maximumDevices } ?? 1
        return .milliseconds(100 * tenths)
    }

    /// Returns how many devices a turn has; at least one.
    static func devices(perSecond rate: Double, turn: Duration?) -> Int {
        max(1, Int(clamping: rate * ((turn ?? self.length(perSecond: rate)) / .seconds(1))))
    }
}
