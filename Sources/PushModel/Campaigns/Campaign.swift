// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
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
            max(Date(millisecondsSince1970: (start.time.secondsAsUTC - 14 * 3600) * 1000), createdAt)
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

/// Date and time of day as a clock on the wall shows them: `2026-03-29T09:00` or `2026-03-29T09:00:30`.
public struct LocalTime: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Seconds since 1970 of the instant at which a clock that shows UTC shows this.
    public let secondsAsUTC: Int64

    public init(secondsAsUTC: Int64) {
        self.secondsAsUTC = secondsAsUTC
    }

    /// Reads a date and a time of day without a zone.
    ///
    /// - Throws: `ValidationFailure` for the field `time` when it is none.
    public init(_ text: String) throws(ValidationFailure) {
        let failure = ValidationFailure(
            field: "time",
            rule: "a local date and time without a zone, such as '2026-02-03T09:00'",
            value: "\(text.utf8.count) bytes of another form"
        )
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2 else { throw failure }
        let date = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
        let time = halves[1].split(separator: ":", omittingEmptySubsequences: false).map(Self.number)
        guard date.count == 3, let year = date[0], let month = date[1], let day = date[2],
            (2...3).contains(time.count), let hour = time[0], let minute = time[1],
            let second = time.count == 3 ? time[2] : 0,
            (1970...9999).contains(year), (1...12).contains(month), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second),
            (1...CivilMonth(year: year, month: month).length).contains(day)
        else { throw failure }
        let days = CivilMonth(year: year, month: month).firstDay + day - 1
        self.secondsAsUTC = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// Date and time of day, with seconds where there are any.
    public var description: String {
        let text = ISOTime.text(Date(millisecondsSince1970: self.secondsAsUTC * 1000))
        return String(text.prefix(self.secondsAsUTC % 60 == 0 ? 16 : 19))
    }

    /// Two or four digits.
    private static func number(_ text: Substring) -> Int? {
        guard [2, 4].contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

/// How far a campaign has come.
public struct CampaignStatus: Hashable, Sendable {
    public let campaign: Campaign
    public let lifecycle: CampaignLifecycle

    /// What the devices that were planned came to so far.
    public let counts: OutcomeCounts

    public init(campaign: Campaign, lifecycle: CampaignLifecycle, counts: OutcomeCounts) {
        self.campaign = campaign
        self.lifecycle = lifecycle
        self.counts = counts
    }

    /// How many devices were planned; a token that a screening tries in both environments counts twice.
    public var planned: Int { self.lifecycle.plan?.plannedTargets ?? 0 }

    /// How many devices were planned and have no outcome yet.
    public var underWay: Int { self.planned - self.counts.total }

    /// How many devices have no outcome yet, planned or not; `nil` until the audience was counted.
    public var remaining: Int? {
        if self.lifecycle.isPlanned { return self.underWay }
        return self.lifecycle.plan?.expected.map { max($0, self.planned) - self.counts.total }
    }

    /// Whether it is sent to all that are left without waiting for a later instant: it runs, and no wave is still to come.
    ///
    /// - Returns: whether how fast it goes says when it will be done.
    public func isUnderWayToItsEnd(now: Date) -> Bool {
        guard self.lifecycle.state == .running, let plan = self.lifecycle.plan else { return false }
        return plan.waves.allSatisfy { $0.isDone || $0.due <= now }
    }

    /// How many outcomes there were in a second on average since it began or was resumed last.
    ///
    /// - Returns: the average; `nil` while it does not run, or when there were no outcomes.
    public func perSecond(now: Date) -> Double? {
        self.lifecycle.stretch?.perSecond(settled: self.counts.worked, now: now)
    }

    /// Whether nothing of it will change any more.
    public var isSettled: Bool { self.lifecycle.state.isFinal && self.underWay == 0 }
}
