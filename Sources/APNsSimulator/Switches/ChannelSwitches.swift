// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How channels and broadcasts behave where Apple gives no figure, or says nothing.
public struct ChannelSwitches: Sendable, Hashable {
    /// How many channels an app may have in one environment.
    ///
    /// Default: 10,000.
    public var quota = 10_000
    /// Whether apps have the broadcast capability unless they are told otherwise.
    ///
    /// Default: they have.
    public var enabledByDefault = true
    /// How many broadcasts a channel that stores the most recent message takes in an hour; `nil` counts none.
    ///
    /// Default: none are counted; Apple publishes no figure.
    public var storedHourlyBudget: Int?
    /// The same for a channel that stores no message, which Apple gives a higher budget.
    ///
    /// Default: none are counted; Apple publishes no figure.
    public var unstoredHourlyBudget: Int?
    /// How many random bytes the identifier of a channel has.
    ///
    /// Default: 16.
    public var idBytes = 16
    /// `apns-priority` 1 for a broadcast, of which one of Apple's pages knows and one does not.
    ///
    /// Default: accept.
    public var lowestPriority: EdgeHandling = .accept
    /// Whether an activity that subscribes gets the message that the channel has stored before.
    ///
    /// Default: it does not.
    public var newSubscribersGetStored = false

    /// Switches in their default positions.
    public init() {}
}

extension ChannelSwitches {
    /// The group's part of the catalogue; names begin with `channels.`.
    static let catalogue: [SimulatorSwitch] = [
        .integer(
            "channels.quota",
            \.channels.quota,
            0...10_000_000,
            "how many channels an app may have in one environment"
        ),
        .flag(
            "channels.enabledByDefault",
            \.channels.enabledByDefault,
            "whether apps have the broadcast capability unless told otherwise"
        ),
        .optionalInteger(
            "channels.storedHourlyBudget",
            \.channels.storedHourlyBudget,
            0...1_000_000,
            "broadcasts that a channel with storage takes in an hour"
        ),
        .optionalInteger(
            "channels.unstoredHourlyBudget",
            \.channels.unstoredHourlyBudget,
            0...1_000_000,
            "broadcasts that a channel without storage takes in an hour"
        ),
        .integer("channels.idBytes", \.channels.idBytes, 8...64, "how many random bytes a channel's identifier has"),
        .position("channels.lowestPriority", \.channels.lowestPriority, "apns-priority 1 for a broadcast"),
        .flag(
            "channels.newSubscribersGetStored",
            \.channels.newSubscribersGetStored,
            "whether an activity that subscribes gets the message that was stored before"
        ),
    ]
}
