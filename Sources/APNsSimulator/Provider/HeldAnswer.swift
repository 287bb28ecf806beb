// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// An answer that a fault holds back until it is taken away.
struct HeldAnswer {
    let hold: AnswerHold
    let stream: HTTP2Stream
    let verdict: Verdict
    let apnsID: APNsID
}
