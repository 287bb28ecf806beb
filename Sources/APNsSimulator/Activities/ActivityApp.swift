// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What an app on a device may do with Live Activities, and what its pushes have used up.
struct ActivityApp: Codable, Sendable {
    /// Whether the person was asked to allow Live Activities of the app.
    enum Permission: String, Codable, Sendable {
        /// No push has started one yet.
        ///
        /// Can transition to: `asked`, `allowed`.
        case notAsked
        /// The question is on the Lock Screen; update tokens wait.
        ///
        /// Can transition to: `allowed`.
        case asked
        case allowed
    }

    var settings = ActivitySettings()
    var permission = Permission.notAsked
    var budget = ActivityBudget()
    /// The push-to-start token of each attributes type.
    var pushToStart: [String: TokenKey] = [:]

    /// How many pushes of priority 10 the app may have in an hour.
    func hourlyBudget(_ switches: ActivitySwitches, of host: ActivityHost) -> Int? {
        let isFrequent = host.supportsFrequentUpdates && self.settings.frequentPushesEnabled
        return isFrequent ? switches.frequentHourlyBudget : switches.hourlyBudget
    }
}
