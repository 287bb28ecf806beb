// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What the rules ask about a registration.
struct RegistrationStanding {
    var topic: TopicIndex
    var environment: APNsEnvironment
    /// When the token became inactive, in milliseconds since 1970; `nil` while it is active.
    var inactiveSince: Int64?
    /// How an inactive token is answered.
    var inactiveReason: RejectionReason
}
