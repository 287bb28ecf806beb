// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// What makes a campaign a screening: a push that nobody sees, by whose outcomes tokens are sorted.
///
/// First each device is tried in its own environment; then every token that APNs called bad there is tried once in the
/// other one. ``ScreeningRecheck`` is how far that has come.
public struct Screening: Hashable, Sendable, Codable {
    /// Over how many seconds it may be spread: up to a week.
    public static let spreads = 0...604_800

    /// Over how many seconds the devices are spread; 0 sends as fast as can be.
    public let spreadSeconds: Int

    /// How many devices the audience had when it was created: by these the rate follows from the spread.
    public let devices: Int

    /// Whether devices whose token belongs to the other environment are corrected.
    public let correctsDevices: Bool

    public init(spreadSeconds: Int, devices: Int, correctsDevices: Bool) {
        self.spreadSeconds = spreadSeconds
        self.devices = devices
        self.correctsDevices = correctsDevices
    }

    /// How many devices are tried in a second; `nil` for no limit.
    var rate: Double? {
        self.spreadSeconds <= 0 ? nil : Double(max(1, self.devices)) / Double(self.spreadSeconds)
    }

    /// How much time one shard is for: a thousandth of the spread, so that slow screenings have few batches.
    public var turn: Duration { .milliseconds(max(100, self.spreadSeconds)) }

    /// How long after its start a screening ends at the latest: a day after its spread, for what APNs asks to send later.
    var longest: TimeInterval { 2 * TimeInterval(self.spreadSeconds) + 86_400 }
}

extension Campaign {
    /// A screening of devices: `background`, without alert, badge and sound, of priority 5, not kept for devices that
    /// are offline.
    ///
    /// - Throws: never, as long as the payload is one.
    public init(
        id: CampaignID,
        app: AppID,
        name: String,
        audience: Audience,
        screening: Screening,
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

/// How far a screening has come behind its waves: a part of its ``CampaignPlan``.
public struct ScreeningRecheck: Hashable, Sendable, Codable {
    public enum Phase: String, Hashable, Sendable, Codable {
        /// Devices are tried in their own environment.
        ///
        /// Can transition to: `rechecking` when all have their outcome, `done` when no token was called bad.
        case checking

        /// Tokens that were called bad are planned for the other environment.
        ///
        /// Can transition to: `settling` when all of them are.
        case rechecking

        /// What was planned for the other environment is waited for.
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

    /// What the devices came to in their own environment; `nil` until all have their outcome.
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

/// What a screening has found out so far.
public struct ScreeningReport: Hashable, Sendable {
    /// How many devices have an outcome in their own environment.
    public let checked: Int

    /// Whose token is good where it is.
    public let alive: Int

    /// Whose token is dead, by a 410 in either environment.
    public let dead: Int

    /// Whose token is called bad in its own environment and accepted in the other one.
    public let otherEnvironment: Int

    /// How many of these were corrected.
    public let corrected: Int

    /// Whose token is called bad in both environments: it never was one of this app's, or is damaged.
    public let bad: Int

    /// Of whom nothing was found out, by what APNs or we said instead.
    ///
    /// A token that is bad in its own environment is one of these until it was tried in the other one.
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

    /// What says nothing of a token.
    fileprivate var undecided: OutcomeCounts {
        let rejected = self.rejected.filter { $0.key != .badDeviceToken && $0.key.entry?.nextStep != .pruneToken }
        return OutcomeCounts(rejected: rejected, failed: self.failed)
    }

    /// The differences of two counts, of which the second was a part of the first.
    fileprivate static func - (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        OutcomeCounts(
            delivered: left.delivered.subtractingClamping(right.delivered),
            rejected: left.rejected.merging(right.rejected) { $0.subtractingClamping($1) }.filter { $0.value > 0 },
            failed: left.failed.merging(right.failed) { $0.subtractingClamping($1) }.filter { $0.value > 0 }
        )
    }
}
