// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What tells one broadcast channel from all others: an identifier belongs to one app in one environment.
struct ChannelKey: Codable, Hashable, Sendable {
    var bundleID: String
    var environment: APNsEnvironment
    var id: String
}
