// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// How an app on a device stands with Live Activities.
public struct ActivityAppState: Sendable, Hashable {
    /// Whether the person was asked to allow Live Activities.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        /// No push has started one yet.
        case notAsked
        /// The question is on the Lock Screen; update tokens wait.
        case asked
        /// The person has answered Allow.
        case allowed
    }

    /// The app.
    public var bundleID: String
    /// What the app declares and what the person has set.
    public var settings: ActivitySettings
    /// Whether the person was asked.
    public var permission: Permission
    /// The push-to-start tokens by attributes type.
    public var pushToStartTokens: [String: DeviceToken]

    init(_ app: ActivityApp, bundleID: String) {
        self.bundleID = bundleID
        self.settings = app.settings
        self.permission =
            switch app.permission {
            case .notAsked: .notAsked
            case .asked: .asked
            case .allowed: .allowed
            }
        self.pushToStartTokens = app.pushToStart.compactMapValues { try? DeviceToken(bytes: $0.bytes) }
    }
}
