// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a sender says when every notification of its job has an answer.
struct PeerReport: Codable {
    let sent: Int
    /// How many notifications were answered with 200.
    let accepted: Int
    /// What the first one that was not got instead.
    let refusal: String?
    /// From before the first connection was opened until the last answer was there.
    let seconds: Double
    let cpuSeconds: Double
    let peakMiB: Double

    var perSecond: Double { Double(self.sent) / self.seconds }
}
