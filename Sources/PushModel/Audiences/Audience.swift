// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// A choice of an app's devices: a closed expression, written as JSON and translated by every store.
///
/// It says nothing of whether a device can be reached; whoever sends leaves out those that cannot. A condition on
/// something that a device did not tell does not hold, and its `not` does.
public indirect enum Audience: Hashable, Sendable {
    /// Every device.
    case all

    /// Devices that are subscribed to a topic.
    case topic(String)

    /// Devices with a tag.
    case tag(TagRule)

    /// Devices whose locale is this one, or one of this language: `de` is also `de-AT`.
    case locale(LocaleRange)

    /// Devices that told this time zone, letter by letter.
    case timeZone(String)

    /// Devices that run this system.
    case platform(DevicePlatform)

    /// Devices that run a version of the app within a range.
    case appVersion(AppVersionRange)

    /// The devices of users.
    case users([UserID])

    /// Devices of an APNs environment.
    case environment(APNsEnvironment)

    /// Devices that were last heard of within a span.
    case seen(TimeSpan)

    /// Devices that registered last within a span.
    case registered(TimeSpan)

    /// Devices that get one publication to a topic; only publications have such an audience.
    case subscribers(SubscriberRule)

    /// Devices for which all of these hold.
    case and([Audience])

    /// Devices for which at least one of these holds.
    case or([Audience])

    /// Devices for which this does not hold.
    case not(Audience)
}

extension Audience {
    /// How deep expressions may nest, the outermost one being the first level.
    public static let maximumDepth = 16

    /// How many expressions there may be in all.
    public static let maximumNodes = 200

    /// How many users may be named in all.
    public static let maximumUsers = 10_000

    /// What it asks of the store, roughly: those that cost less are looked at first.
    var cost: Int {
        switch self {
        case .all: 0
        case .environment, .seen, .registered: 1
        case .platform, .timeZone, .appVersion: 2
        case .locale: 4
        case .users: 8
        case .tag: 16
        case .topic: 32
        case .subscribers: 64
        case .and(let parts), .or(let parts): parts.reduce(1) { $0 + $1.cost }
        case .not(let part): part.cost
        }
    }
}
