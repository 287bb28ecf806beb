// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A moment at which a Live Activity may change by itself: it starts, grows stale, ends, is dismissed, or its token
/// comes or goes.
struct ActivityEvent: Codable, Hashable, Sendable {
    /// The activity that looks at the clock then.
    var activity: ActivityID
}
