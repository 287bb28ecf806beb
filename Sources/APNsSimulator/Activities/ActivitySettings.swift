// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the person has set for an app's Live Activities; what the app declares is in ``AppTraits``.
public struct ActivitySettings: Sendable, Hashable, Codable {
    /// Whether the person lets the app show Live Activities.
    ///
    /// Default: true.
    public var areActivitiesEnabled = true
    /// Whether the person lets the app update them frequently.
    ///
    /// Default: true.
    public var frequentPushesEnabled = true
    /// What the app's next request fails with, whatever it asks for.
    ///
    /// Default: `nil`, which lets it be judged.
    public var nextRequestFailure: ActivityAuthorizationError.Code?

    /// Settings in their default positions.
    public init() {}
}
