// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension AppCall.Name {
    /// A push has started a Live Activity; the app runs in the background to look at it.
    public static let activityUpdates = AppCall.Name(rawValue: "Activity.activityUpdates")
    /// A Live Activity has an update token.
    public static let activityToken = AppCall.Name(rawValue: "Activity.pushTokenUpdates")
    /// A type of Live Activities has a push-to-start token.
    public static let pushToStartToken = AppCall.Name(rawValue: "Activity.pushToStartTokenUpdates")
    /// The person has switched Live Activities on or off.
    public static let activityEnablement = AppCall.Name(
        rawValue: "ActivityAuthorizationInfo.activityEnablementUpdates"
    )
    /// The person has switched frequent updates of Live Activities on or off.
    public static let frequentPushEnablement = AppCall.Name(
        rawValue: "ActivityAuthorizationInfo.frequentPushEnablementUpdates"
    )
}

extension SimulatorEvent.Kind {
    /// Something happened to a Live Activity; the details say what.
    public static let activityChanged = SimulatorEvent.Kind(rawValue: "activityChanged")
}
