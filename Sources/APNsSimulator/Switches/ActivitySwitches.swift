// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How Live Activities behave where Apple gives no figure, or says nothing.
public struct ActivitySwitches: Sendable, Hashable {
    /// How old the timestamp of an update may be before the device drops it; `nil` drops none.
    ///
    /// Default: 200, the upper end of what was seen.
    ///
    /// Unit: seconds.
    public var pastTolerance: Double? = 200
    /// From when on the age of a timestamp is told.
    ///
    /// Default: the push's acceptance, so that storage alone makes no push too old.
    public var pastReference: TimestampReference = .acceptance
    /// How far ahead a timestamp may be before the device drops the push.
    ///
    /// Default: 28,800, which is 8 hours.
    ///
    /// Unit: seconds.
    public var futureLimit: Double = 8 * 3600
    /// How long after a push has started an activity its update token comes.
    ///
    /// Default: 1.
    ///
    /// Unit: seconds.
    public var updateTokenDelay: Double = 1
    /// How long after the app has started an activity its update token comes.
    ///
    /// Default: 0.
    ///
    /// Unit: seconds.
    public var requestTokenDelay: Double = 0
    /// Whether the update token of the first activity that a push starts waits for the person's Allow.
    ///
    /// Default: it does.
    public var asksToAllow = true
    /// Whether a push that starts an activity gives it an update token on iOS 18 without `input-push-token`.
    ///
    /// Default: it does, as before iOS 18.
    public var givesTokenUnasked = true
    /// What starts the end of an update token.
    ///
    /// Default: the activity's end.
    public var tokenEndsWith: TokenEnding = .end
    /// How long an update token is still accepted after that; pushes to it change nothing.
    ///
    /// Default: 60.
    ///
    /// Unit: seconds.
    public var tokenLifeAfterEnd: Double = 60
    /// How long an update token is good for before the device changes it; `nil` never changes one by itself.
    ///
    /// Default: never.
    ///
    /// Unit: seconds.
    public var tokenRotation: Double?
    /// Whether a push-to-start token changes when it was used.
    ///
    /// Default: it does not.
    public var rotatesPushToStart = false
    /// Whether the tokens of activities have 80 bytes, as seen, and not the usual 32.
    ///
    /// Default: they have.
    public var longTokens = true
    /// How many pushes of priority 10 an app may have in an hour on a device; `nil` counts none.
    ///
    /// Default: 60; Apple publishes no figure.
    public var hourlyBudget: Int? = 60
    /// The same for an app with frequent updates that the person has not switched off.
    ///
    /// Default: 3,600; Apple publishes no figure.
    public var frequentHourlyBudget: Int? = 3600
    /// What becomes of a push beyond the budget.
    ///
    /// Default: dropped.
    public var overBudget: BudgetExcess = .drop
    /// How many activities an app may have on a device at once.
    ///
    /// Default: 5, as seen.
    public var maximumPerApp = 5
    /// How many activities a device may have at once.
    ///
    /// Default: 20.
    public var maximumOnDevice = 20
    /// A start whose `attributes-type` is not the type of the push-to-start token.
    ///
    /// Default: reject, which drops it on the device.
    public var attributesTypeMismatch: EdgeHandling = .reject
    /// A start with an `attributes-type` that is not registered, for an app that has registered others.
    ///
    /// Default: reject, which drops it on the device.
    public var unknownAttributesType: EdgeHandling = .reject
    /// A start with both `input-push-token` and `input-push-channel`; accepted, the channel counts.
    ///
    /// Default: reject, which drops it on the device.
    public var conflictingInput: EdgeHandling = .reject

    /// Switches in their default positions.
    public init() {}
}

/// From when on the age of a Live Activity push's timestamp is told.
public enum TimestampReference: String, Sendable, Hashable, CaseIterable {
    /// When APNs accepted the push.
    case acceptance
    /// When the device received it.
    case arrival
}

/// What starts the end of an activity's update token.
public enum TokenEnding: String, Sendable, Hashable, CaseIterable {
    /// The activity has ended, though it may still be on the Lock Screen.
    case end
    /// The activity is gone from the Lock Screen.
    case dismissal
}

/// What becomes of a Live Activity push beyond the budget of its app.
public enum BudgetExcess: String, Sendable, Hashable, CaseIterable {
    /// It changes nothing.
    case drop
    /// It waits until the budget allows it, unless a newer one takes its place.
    case postpone
}

extension ActivitySwitches {
    /// The group's part of the catalogue; names begin with `activities.`.
    static let catalogue: [SimulatorSwitch] = [
        .optionalNumber(
            "activities.pastTolerance",
            \.activities.pastTolerance,
            0...1e9,
            "how old the timestamp of a Live Activity update may be, in seconds"
        ),
        .position(
            "activities.pastReference",
            \.activities.pastReference,
            "from when on the age of a timestamp is told"
        ),
        .number(
            "activities.futureLimit",
            \.activities.futureLimit,
            0...1e9,
            "how far ahead a timestamp may be, in seconds"
        ),
        .number(
            "activities.updateTokenDelay",
            \.activities.updateTokenDelay,
            0...86_400,
            "how long after a start by push the update token comes, in seconds"
        ),
        .number(
            "activities.requestTokenDelay",
            \.activities.requestTokenDelay,
            0...86_400,
            "how long after a start by the app the update token comes, in seconds"
        ),
        .flag(
            "activities.asksToAllow",
            \.activities.asksToAllow,
            "whether the first update token after a start by push waits for the person's Allow"
        ),
        .flag(
            "activities.givesTokenUnasked",
            \.activities.givesTokenUnasked,
            "whether a start by push without input-push-token gives an update token on iOS 18"
        ),
        .position("activities.tokenEndsWith", \.activities.tokenEndsWith, "what starts the end of an update token"),
        .number(
            "activities.tokenLifeAfterEnd",
            \.activities.tokenLifeAfterEnd,
            0...1e9,
            "how long an update token is accepted after that, in seconds"
        ),
        .optionalNumber(
            "activities.tokenRotation",
            \.activities.tokenRotation,
            1...1e9,
            "how long an update token is good for before it changes, in seconds"
        ),
        .flag(
            "activities.rotatesPushToStart",
            \.activities.rotatesPushToStart,
            "whether a push-to-start token changes when it was used"
        ),
        .flag("activities.longTokens", \.activities.longTokens, "whether tokens of activities have 80 bytes, not 32"),
        .optionalInteger(
            "activities.hourlyBudget",
            \.activities.hourlyBudget,
            0...1_000_000,
            "pushes of priority 10 that an app may have in an hour on a device"
        ),
        .optionalInteger(
            "activities.frequentHourlyBudget",
            \.activities.frequentHourlyBudget,
            0...1_000_000,
            "the same for an app with frequent updates"
        ),
        .position("activities.overBudget", \.activities.overBudget, "what becomes of a push beyond the budget"),
        .integer(
            "activities.maximumPerApp",
            \.activities.maximumPerApp,
            0...1000,
            "how many activities an app may have on a device at once"
        ),
        .integer(
            "activities.maximumOnDevice",
            \.activities.maximumOnDevice,
            0...1000,
            "how many activities a device may have at once"
        ),
        .position(
            "activities.attributesTypeMismatch",
            \.activities.attributesTypeMismatch,
            "start with another attributes-type than its push-to-start token's"
        ),
        .position(
            "activities.unknownAttributesType",
            \.activities.unknownAttributesType,
            "start with an attributes-type that an app with registered types has not"
        ),
        .position(
            "activities.conflictingInput",
            \.activities.conflictingInput,
            "start with both input-push-token and input-push-channel"
        ),
    ]
}
