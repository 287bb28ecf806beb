// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// The settings of a token validation: a campaign of silent pushes whose outcomes classify tokens.
///
/// It first tries each device in its own environment. Then it tries every token with `BadDeviceToken` once in the other
/// environment. ``EnvironmentRecheck`` has its progress.
public struct TokenValidation: Hashable, Sendable, Codable {
    /// The valid durations in seconds, up to a week.
    public static let spreads = 0...604_800

    /// The duration in seconds; pushes are spread evenly over it, and 0 sends without a rate limit.
    public let spreadSeconds: Int

    /// The number of devices of the audience at its creation; it and the duration give the rate.
    public let devices: Int

    /// Whether it corrects the environment of devices whose token belongs to the other one.
    public let correctsDevices: Bool

    public init(spreadSeconds: Int, devices: Int, correctsDevices: Bool) {
        self.spreadSeconds = spreadSeconds
        self.devices = devices
        self.correctsDevices = correctsDevices
    }

    /// The number of pushes per second; `nil` for no limit.
    var rate: Double? {
        self.spreadSeconds <= 0 ? nil : Double(max(1, self.devices)) / Double(self.spreadSeconds)
    }

    /// The time between two pages: a thousandth of the duration, so that a slow token validation has few batches.
    public var turn: Duration { .milliseconds(max(100, self.spreadSeconds)) }

    /// The latest end of a token validation after its start: twice its duration plus 24 hours, because APNs may ask for
    /// a delay.
    var longest: TimeInterval { 2 * TimeInterval(self.spreadSeconds) + 86_400 }
}

extension Campaign {
    /// Creates a token validation: `background`, without alert, badge and sound, priority 5, not stored by APNs for
    /// devices that are offline.
    ///
    /// - Throws: never, because the payload is valid.
    public init(
        id: CampaignID,
        app: AppID,
        name: String,
        audience: Audience,
        screening: TokenValidation,
        start: CampaignStart,
        createdAt: Date
    ) throws {
        let payload = try APNsPayload(json: #"{"aps":{"content-available":1}}"#)
        self.init(
            id: id,
            app: app,
            name: name,
            audience: audience,
            message: CampaignMessage(
                pushType: .background,
                priority: .powerConsiderate,
                timeToLive: 0,
                fallback: try MessageTemplate(payload)
            ),
            start: start,
            expiresAt: start.planningTime(createdAt: createdAt).addingTimeInterval(screening.longest),
            screening: screening,
            createdAt: createdAt
        )
    }
}

/// The progress of a token validation after its waves: a part of its ``CampaignFanOut``.
public struct EnvironmentRecheck: Hashable, Sendable, Codable {
    public enum Phase: String, Hashable, Sendable, Codable {
        /// Devices are tried in their own environment.
        ///
        /// Can transition to: `rechecking` when all have their outcome, `done` if no token was a `BadDeviceToken`.
        case checking

        /// Batches are created that try the invalid tokens in the other environment.
        ///
        /// Can transition to: `settling` when all are created.
        case rechecking

        /// These batches have targets without an outcome.
        ///
        /// Can transition to: `correcting`, `done`.
        case settling

        /// Devices whose token was accepted in the other environment are corrected.
        ///
        /// Can transition to: `done`.
        case correcting

        /// Nothing is left to do.
        case done
    }

    public internal(set) var phase = Phase.checking

    /// The outcomes of the devices in their own environment; `nil` until all have one.
    public internal(set) var first: OutcomeCounts?

    /// The last batch that tried devices in their own environment; later ones tried the other one.
    public internal(set) var lastBatch: BatchID?

    /// The last failure that was looked at.
    public internal(set) var place: APNsID?

    /// How many tokens were planned for the other environment.
    public internal(set) var planned = 0

    /// The last batch whose devices were corrected.
    public internal(set) var correctedBatch: BatchID?

    public internal(set) var corrected = 0

    init() {}
}

/// The results of a token validation so far.
public struct TokenValidationReport: Hashable, Sendable {
    /// How many devices have an outcome in their own environment.
    public let checked: Int

    /// Whose token is good where it is.
    public let alive: Int

    /// Devices whose token is unregistered, by a 410 in either environment.
    public let dead: Int

    /// Whose token is called bad in its own environment and accepted in the other one.
    public let otherEnvironment: Int

    /// How many of these were corrected.
    public let corrected: Int

    /// Whose token is called bad in both environments: it never was one of this app's, or is damaged.
    public let bad: Int

    /// Devices without a result, by the outcome that they had instead.
    ///
    /// A token that is invalid in its own environment counts here until it was tried in the other one.
    public let unknown: OutcomeCounts

    public init(_ status: CampaignStatus) {
        let recheck = status.lifecycle.plan?.recheck
        let first = recheck?.first ?? status.counts
        let second = recheck?.first == nil ? OutcomeCounts() : status.counts - first
        self.checked = first.total
        self.alive = first.delivered
        self.dead = first.dead.addingClamping(second.dead)
        self.otherEnvironment = second.delivered
        self.corrected = recheck?.corrected ?? 0
        self.bad = second.rejected[.badDeviceToken] ?? 0
        var unknown = first.undecided + second.undecided
        let untried = (first.rejected[.badDeviceToken] ?? 0).subtractingClamping(second.total)
        if untried > 0 { unknown.rejected[.badDeviceToken] = untried }
        self.unknown = unknown
    }
}

extension OutcomeCounts {
    fileprivate var dead: Int {
        self.rejected.reduce(0) { $0.addingClamping($1.key.entry?.nextStep == .pruneToken ? $1.value : 0) }
    }

    /// The outcomes that are no result for a token.
    fileprivate var undecided: OutcomeCounts {
        let rejected = self.rejected.filter { $0.key != .badDeviceToken && $0.key.entry?.nextStep != .pruneToken }
        return OutcomeCounts(rejected: rejected, failed: self.failed)
    }

    /// The difference of two counts; the second one is included in the first.
    fileprivate static func - (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        OutcomeCounts(
            delivered: left.delivered.subtractingClamping(right.delivered),
            rejected: left.rejected.merging(right.rejected) { $0.subtractingClamping($1) }.filter { $0.value > 0 },
            failed: left.failed.merging(right.failed) { $0.subtractingClamping($1) }.filter { $0.value > 0 }
        )
    }
}
