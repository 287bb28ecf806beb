// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A moment at which the message that a channel stores is no longer kept.
struct ChannelEvent: Codable, Hashable, Sendable {
    /// The channel that looks at the clock then.
    var channel: ChannelKey
}
