// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// How far a screening has come behind its waves: a part of its ``CampaignPlan``.
public struct ScreeningRecheck: Hashable, Sendable, Codable {
    /// What is being done.
    public enum Phase: String, Hashable, Sendable, Codable {
        /// Devices are tried in their own environment.
        ///
        /// Can transition to: `rechecking` when all have their outcome, `done` when no token was called bad.
        case checking

        /// Tokens that were called bad are planned for the other environment.
        ///
        /// Can transition to: `settling` when all of them are.
        case rechecking

        /// What was planned for the other environment is waited for.
        ///
        /// Can transition to: `correcting`, `done`.
        case settling

        /// Devices whose token was accepted in the other environment are corrected.
        ///
        /// Can transition to: `done`.
        case correcting

        /// Nothing is left to do.
        case done
    }

    /// What is being done.
    public internal(set) var phase = Phase.checking

    /// What the devices came to in their own environment; `nil` until all have their outcome.
    public internal(set) var first: OutcomeCounts?

    /// The last batch that tried devices in their own environment; later ones tried the other one.
    public internal(set) var lastBatch: BatchID?

    /// The last failure that was looked at.
    public internal(set) var place: APNsID?

    /// How many tokens were planned for the other environment.
    public internal(set) var planned = 0

    /// The last batch whose devices were corrected.
    public internal(set) var correctedBatch: BatchID?

    /// How many devices were corrected.
    public internal(set) var corrected = 0

    /// Nothing was done.
    init() {}
}
