// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a device token is for.
enum TokenKind: Codable, Hashable, Sendable {
    /// Notifications of an app.
    case app
    /// One push type of an app, such as `voip` or `widgets`.
    case pushType(String)
    /// One Live Activity.
    case activity(ActivityID)
    /// Starting Live Activities of one attributes type.
    case pushToStart(attributesType: String)
}
