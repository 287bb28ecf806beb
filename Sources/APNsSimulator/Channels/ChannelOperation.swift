// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What a broadcast or a channel management request that passed all rules asks for.
enum ChannelOperation: Equatable, Sendable {
    case create(bundleID: String, policy: ChannelStoragePolicy)
    case read(ChannelKey)
    case delete(ChannelKey)
    case list(bundleID: String)
    /// `expiration` in seconds since 1970; 0 is one attempt.
    case broadcast(ChannelKey, priority: Int, expiration: Int64)
}
