// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a push tells a Live Activity: the `aps` of push type `liveactivity`.
///
/// Times are whole seconds since 1970. A `Date` inside the content state or the attributes is another matter: the device
/// decodes it as seconds since 2001; ``JSONFragment/init(encoding:field:)`` writes it so.
/// See <https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications>.
public enum LiveActivityEvent: Hashable, Sendable {
    /// Starts an activity; sent to a push-to-start token.
    case start(LiveActivityStart)
    /// Changes a running activity.
    case update(LiveActivityUpdate)
    /// Ends a running activity.
    case end(LiveActivityEnd)
}
