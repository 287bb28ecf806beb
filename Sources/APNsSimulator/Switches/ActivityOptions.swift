// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The behavior of Live Activities where Apple publishes no figure or no rule.
public struct ActivityOptions: Sendable, Hashable {
    /// The maximum age of an update's timestamp, or `nil` for no limit; the device drops older updates.
    ///
    /// Default: 200, the upper end of the observed values.
    ///
    /// Unit: seconds.
    public var pastTolerance: Double? = 200
    /// The time at which the age of a timestamp is measured.
    ///
    /// Default: the push's acceptance, so that storage alone makes no push too old.
    public var pastReference: TimestampReference = .acceptance
    /// How far in the future a timestamp can be; the device drops the push if it is later.
    ///
    /// Default: 28,800, which is 8 hours.
    ///
    /// Unit: seconds.
    public var futureLimit: Double = 8 * 3600
    /// The delay of the update token after a start by push.
    ///
    /// Default: 1.
    ///
    /// Unit: seconds.
    public var updateTokenDelay: Double = 1
    /// The delay of the update token after a start by the app.
    ///
    /// Default: 0.
    ///
    /// Unit: seconds.
    public var requestTokenDelay: Double = 0
    /// Whether the update token of the first activity started by push requires the user's Allow.
    ///
    /// Default: `true`.
    public var asksToAllow = true
    /// Whether an activity started by push on iOS 18 gets an update token without `input-push-token`.
    ///
    /// Default: `true`, as before iOS 18.
    public var givesTokenUnasked = true
    /// The event that starts the expiry of an update token.
    ///
    /// Default: the activity's end.
    public var tokenEndsWith: TokenExpirationTrigger = .end
    /// How long an update token is still accepted after that event; pushes to it have no effect.
    ///
    /// Default: 60.
    ///
    /// Unit: seconds.
    public var tokenLifeAfterEnd: Double = 60
    /// How long an update token is valid before the device replaces it; `nil` never replaces it automatically.
    ///
    /// Default: `nil`.
    ///
    /// Unit: seconds.
    public var tokenRotation: Double?
    /// Whether the device replaces a push-to-start token after its use.
    ///
    /// Default: `false`.
    public var rotatesPushToStart = false
    /// Whether the tokens of activities have 80 bytes, as observed, instead of 32.
    ///
    /// Default: `true`.
    public var longTokens = true
    /// The number of priority-10 pushes that an app can receive per hour on a device; `nil`: no limit.
    ///
    /// Default: 60; Apple publishes no figure.
    public var hourlyBudget: Int? = 60
    /// The same limit for an app with frequent updates, if the user allows these.
    ///
    /// Default: 3,600; Apple publishes no figure.
    public var frequentHourlyBudget: Int? = 3600
    /// How a push over the budget is handled.
    ///
    /// Default: dropped.
    public var overBudget: OverBudgetPolicy = .drop
    /// The maximum number of concurrent activities per app and device.
    ///
    /// Default: 5, as observed.
    public var maximumPerApp = 5
    /// The maximum number of concurrent activities per device.
    ///
    /// Default: 20.
    public var maximumOnDevice = 20
    /// A start whose `attributes-type` differs from the type of the push-to-start token.
    ///
    /// Default: reject, which drops it on the device.
    public var attributesTypeMismatch: EdgeCasePolicy = .reject
    /// A start with an `attributes-type` that is not registered, for an app that has registered others.
    ///
    /// Default: reject, which drops it on the device.
    public var unknownAttributesType: EdgeCasePolicy = .reject
    /// A start with both `input-push-token` and `input-push-channel`; if accepted, the channel is used.
    ///
    /// Default: reject, which drops it on the device.
    public var conflictingInput: EdgeCasePolicy = .reject

    /// Creates switches in their default positions.
    public init() {}
}

/// The time at which the age of a Live Activity push's timestamp is measured.
public enum TimestampReference: String, Sendable, Hashable, CaseIterable {
    /// When APNs accepted the push.
    case acceptance
    /// When the device received it.
    case arrival
}

/// The event that starts the expiry of an activity's update token.
public enum TokenExpirationTrigger: String, Sendable, Hashable, CaseIterable {
    /// The activity ended; it can still be on the Lock Screen.
    case end
    /// The activity was removed from the Lock Screen.
    case dismissal
}

/// How a Live Activity push over the budget of its app is handled.
public enum OverBudgetPolicy: String, Sendable, Hashable, CaseIterable {
    /// It is dropped.
    case drop
    /// It is stored until the budget allows it, unless a later push replaces it.
    case postpone
}

extension ActivityOptions {
    /// The group's part of the catalogue; names begin with `activities.`.
    static let catalogue: [SimulatorOption] = [
        .optionalNumber(
            "activities.pastTolerance",
            \.activities.pastTolerance,
            0...1e9,
            "maximum age of a Live Activity update's timestamp, in seconds"
        ),
        .position(
            "activities.pastReference",
            \.activities.pastReference,
            "time at which the age of a timestamp is measured"
        ),
        .number(
            "activities.futureLimit",
            \.activities.futureLimit,
            0...1e9,
            "how far in the future a timestamp can be, in seconds"
        ),
        .number(
            "activities.updateTokenDelay",
            \.activities.updateTokenDelay,
            0...86_400,
            "delay of the update token after a start by push, in seconds"
        ),
        .number(
            "activities.requestTokenDelay",
            \.activities.requestTokenDelay,
            0...86_400,
            "delay of the update token after a start by the app, in seconds"
        ),
        .flag(
            "activities.asksToAllow",
            \.activities.asksToAllow,
            "whether the first update token after a start by push requires the user's Allow"
        ),
        .flag(
            "activities.givesTokenUnasked",
            \.activities.givesTokenUnasked,
            "whether a start by push without input-push-token gives an update token on iOS 18"
        ),
        .position(
            "activities.tokenEndsWith",
            \.activities.tokenEndsWith,
            "event that starts the expiry of an update token"
        ),
        .number(
            "activities.tokenLifeAfterEnd",
            \.activities.tokenLifeAfterEnd,
            0...1e9,
            "how long an update token is accepted after that event, in seconds"
        ),
        .optionalNumber(
            "activities.tokenRotation",
            \.activities.tokenRotation,
            1...1e9,
            "how long an update token is valid before the device replaces it, in seconds"
        ),
        .flag(
            "activities.rotatesPushToStart",
            \.activities.rotatesPushToStart,
            "whether the device replaces a push-to-start token after its use"
        ),
        .flag("activities.longTokens", \.activities.longTokens, "whether activity tokens have 80 bytes instead of 32"),
        .optionalInteger(
            "activities.hourlyBudget",
            \.activities.hourlyBudget,
            0...1_000_000,
            "priority-10 pushes per app and device in one hour"
        ),
        .optionalInteger(
            "activities.frequentHourlyBudget",
            \.activities.frequentHourlyBudget,
            0...1_000_000,
            "priority-10 pushes in one hour for an app with frequent updates"
        ),
        .position("activities.overBudget", \.activities.overBudget, "handling of a push over the budget"),
        .integer(
            "activities.maximumPerApp",
            \.activities.maximumPerApp,
            0...1000,
            "maximum concurrent activities per app and device"
        ),
        .integer(
            "activities.maximumOnDevice",
            \.activities.maximumOnDevice,
            0...1000,
            "maximum concurrent activities per device"
        ),
        .position(
            "activities.attributesTypeMismatch",
            \.activities.attributesTypeMismatch,
            "start whose attributes-type differs from its push-to-start token's"
        ),
        .position(
            "activities.unknownAttributesType",
            \.activities.unknownAttributesType,
            "start with an unregistered attributes-type, for an app that registered others"
        ),
        .position(
            "activities.conflictingInput",
            \.activities.conflictingInput,
            "start with both input-push-token and input-push-channel"
        ),
    ]
}
