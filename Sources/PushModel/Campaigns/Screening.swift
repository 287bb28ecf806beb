// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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

    /// Describes a screening.
    ///
    /// - Parameters:
    ///   - spreadSeconds: over how many seconds the devices are spread.
    ///   - devices: how many devices the audience has.
    ///   - correctsDevices: whether devices whose token belongs to the other environment are corrected.
    public init(spreadSeconds: Int, devices: Int, correctsDevices: Bool) {
        self.spreadSeconds = spreadSeconds
        self.devices = devices
        self.correctsDevices = correctsDevices
    }

    /// How many devices are tried in a second; `nil` for no limit.
    var rate: Double? {
        self.spreadSeconds == 0 ? nil : Double(max(1, self.devices)) / Double(self.spreadSeconds)
    }

    /// How much time one shard is for: a thousandth of the spread, so that slow screenings have few batches.
    public var turn: Duration { .milliseconds(max(100, self.spreadSeconds)) }

    /// How long after its start a screening ends at the latest: a day after its spread, for what APNs asks to send later.
    var longest: TimeInterval { TimeInterval(2 * self.spreadSeconds + 86_400) }
}

extension Campaign {
    /// A screening of devices: `background`, without alert, badge and sound, of priority 5, not kept for devices that
    /// are offline.
    ///
    /// - Parameters:
    ///   - id: its id.
    ///   - app: the app.
    ///   - name: what people call it.
    ///   - audience: which devices are tried.
    ///   - screening: how.
    ///   - start: when it begins.
    ///   - createdAt: when it was created.
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
