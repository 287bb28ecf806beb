// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How far a campaign has come.
public enum CampaignState: Hashable, Sendable {
    /// It waits for its start.
    ///
    /// Can transition to: `running` at its start, `paused`, `cancelled`, `expired`, `failed`.
    case scheduled

    /// It is planned and sent.
    ///
    /// Can transition to: `paused`, `finished` with the last outcome, `cancelled`, `expired`, `failed`.
    case running

    /// Nothing of it is planned or sent until it is resumed.
    ///
    /// Can transition to: `scheduled` or `running` when it is resumed, `cancelled`; `finished` when all was sent before.
    case paused

    /// Every device that was planned has its outcome. Final.
    case finished

    /// It was called off; what was on its way still has its outcome. Final.
    case cancelled

    /// Its time was over. Final.
    case expired

    /// It could not be planned, for this reason. Final.
    case failed(reason: String)

    /// Whether nothing more is planned.
    public var isFinal: Bool {
        switch self {
        case .scheduled, .running, .paused: false
        case .finished, .cancelled, .expired, .failed: true
        }
    }

    /// The state in one word.
    public var name: String {
        switch self {
        case .scheduled: "scheduled"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .failed: "failed"
        }
    }
}
