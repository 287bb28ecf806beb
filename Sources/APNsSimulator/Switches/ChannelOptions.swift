// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The behavior of channels and broadcasts where Apple publishes no figure or no rule.
public struct ChannelOptions: Sendable, Hashable {
    /// The maximum number of channels per app and environment.
    ///
    /// Default: 10,000.
    public var quota = 10_000
    /// Whether apps have the broadcast capability by default.
    ///
    /// Default: `true`.
    public var enabledByDefault = true
    /// The hourly broadcast limit of a channel that stores the most recent message; `nil`: no limit.
    ///
    /// Default: `nil`; Apple publishes no figure.
    public var storedHourlyBudget: Int?
    /// The hourly broadcast limit of a channel that stores no message; Apple documents a higher budget for these.
    ///
    /// Default: `nil`; Apple publishes no figure.
    public var unstoredHourlyBudget: Int?
    /// The number of random bytes in a channel ID.
    ///
    /// Default: 16.
    public var idBytes = 16
    /// `apns-priority` 1 for a broadcast; Apple's pages disagree on whether it is valid.
    ///
    /// Default: accept.
    public var lowestPriority: EdgeCasePolicy = .accept
    /// Whether an activity that subscribes receives the message that the channel stored before.
    ///
    /// Default: `false`.
    public var newSubscribersGetStored = false

    /// Creates switches in their default positions.
    public init() {}
}

extension ChannelOptions {
    /// The group's part of the catalogue; names begin with `channels.`.
    static let catalogue: [SimulatorOption] = [
        .integer(
            "channels.quota",
            \.channels.quota,
            0...10_000_000,
            "maximum number of channels per app and environment"
        ),
        .flag(
            "channels.enabledByDefault",
            \.channels.enabledByDefault,
            "whether apps have the broadcast capability by default"
        ),
        .optionalInteger(
            "channels.storedHourlyBudget",
            \.channels.storedHourlyBudget,
            0...1_000_000,
            "broadcasts per hour to a channel with storage"
        ),
        .optionalInteger(
            "channels.unstoredHourlyBudget",
            \.channels.unstoredHourlyBudget,
            0...1_000_000,
            "broadcasts per hour to a channel without storage"
        ),
        .integer("channels.idBytes", \.channels.idBytes, 8...64, "number of random bytes in a channel ID"),
        .position("channels.lowestPriority", \.channels.lowestPriority, "apns-priority 1 for a broadcast"),
        .flag(
            "channels.newSubscribersGetStored",
            \.channels.newSubscribersGetStored,
            "whether an activity that subscribes receives the message stored before"
        ),
    ]
}
