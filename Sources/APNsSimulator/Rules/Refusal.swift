// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The reason why a rule refuses a request.
struct Refusal: Error, Equatable {
    var reason: RejectionReason
    /// When the token became inactive, in milliseconds since 1970; only for status 410.
    var inactiveSince: Int64?

    init(_ reason: RejectionReason, inactiveSince: Int64? = nil) {
        self.reason = reason
        self.inactiveSince = inactiveSince
    }

    /// The answer that it stands for.
    var rejection: Rejection { Rejection(self.reason, inactiveSince: self.inactiveSince) }
}
