// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What the rules say of a request.
enum Verdict: Equatable, Sendable {
    /// It is a push to this registration.
    case accepted(RegistrationIndex)
    /// It is refused.
    case rejected(Rejection)
    /// It is a broadcast or a channel management request, and this is the answer.
    case answered(ChannelAnswer)
}
