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
    public static let durations = 0...604_800

    /// The duration in seconds; pushes are spread evenly over it, and 0 sends without a rate limit.
    public let durationSeconds: Int

    /// The number of devices of the audience at its creation; it and the duration give the rate.
    public let devices: Int

    /// Whether it fixes the environment of devices whose token belongs to the other one.
    public let fixesEnvironment: Bool

    public init(durationSeconds: Int, devices: Int, fixesEnvironment: Bool) {
        self.durationSeconds = durationSeconds
        self.devices = devices
        self.fixesEnvironment = fixesEnvironment
    }

    /// The number of pushes per second; `nil` for no limit.
    var rate: Double? {
        self.durationSeconds <= 0 ? nil : Double(max(1, self.devices)) / Double(self.durationSeconds)
    }

    /// The time between two pages: a thousandth of the duration, so that a slow token validation has few batches.
    public var turn: Duration { .milliseconds(max(100, self.durationSeconds)) }

    /// The latest end of a token validation after its start: twice its duration plus 24 hours, because APNs may ask for
    /// a delay.
    var longest: TimeInterval { 2 * TimeInterval(self.durationSeconds) + 86_400 }
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
        tokenValidation: TokenValidation,
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
            expiresAt: start.planningTime(createdAt: createdAt).addingTimeInterval(tokenValidation.longest),
            tokenValidation: tokenValidation,
            createdAt: createdAt
        )
    }
}

/// The progress of a token validation after its waves: a part of its ``CampaignFanOut``.
public struct EnvironmentRecheck: Hashable, Sendable, Codable {
    public enum Phase: String, Hashable, Sendable, Codable {
        /// Devices are tried in their own environment.
        ///
        /// Can transition to: `checkingOtherEnvironment` when all have their outcome, `completed` if no token was a
        /// `BadDeviceToken`.
        case checking

        /// Batches are created that try the invalid tokens in the other environment.
        ///
        /// Can transition to: `settling` when all are created.
        case checkingOtherEnvironment = "checking_other_environment"

        /// These batches have targets without an outcome.
        ///
        /// Can transition to: `fixing`, `completed`.
        case settling

        /// Devices whose token was accepted in the other environment are fixed.
        ///
        /// Can transition to: `completed`.
        case fixing

        /// Nothing is left to do.
        case completed
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

    /// The last batch whose devices were fixed.
    public internal(set) var fixedBatch: BatchID?

    public internal(set) var fixed = 0

    init() {}
}

/// The results of a token validation so far.
public struct TokenValidationReport: Hashable, Sendable {
    /// How many devices have an outcome in their own environment.
    public let checked: Int

    /// Devices whose token is accepted in their own environment.
    public let valid: Int

    /// Devices whose token is unregistered, by a 410 in either environment.
    public let unregistered: Int

    /// Devices whose token is a `BadDeviceToken` in their own environment, and accepted in the other one.
    public let otherEnvironment: Int

    /// How many of these were fixed.
    public let fixed: Int

    /// Devices whose token is a `BadDeviceToken` in both environments, so they are invalid: of another app, or corrupt.
    public let invalid: Int

    /// Devices without a result, by the outcome that they had instead.
    ///
    /// A token that is invalid in its own environment counts here until it was tried in the other one.
    public let inconclusive: OutcomeCounts

    public init(_ status: CampaignStatus) {
        let recheck = status.lifecycle.plan?.recheck
        let first = recheck?.first ?? status.counts
        let second = recheck?.first == nil ? OutcomeCounts() : status.counts - first
        self.checked = first.total
        self.valid = first.delivered
        self.unregistered = first.unregistered.addingClamping(second.unregistered)
        self.otherEnvironment = second.delivered
        self.fixed = recheck?.fixed ?? 0
        self.invalid = second.rejected[.badDeviceToken] ?? 0
        var inconclusive = first.inconclusive + second.inconclusive
        let untried = (first.rejected[.badDeviceToken] ?? 0).subtractingClamping(second.total)
        if untried > 0 { inconclusive.rejected[.badDeviceToken] = untried }
        self.inconclusive = inconclusive
    }
}

extension OutcomeCounts {
    fileprivate var unregistered: Int {
        self.rejected.reduce(0) { $0.addingClamping($1.key.entry?.nextStep == .pruneToken ? $1.value : 0) }
    }

    /// The outcomes that are no result for a token.
    fileprivate var inconclusive: OutcomeCounts {
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
