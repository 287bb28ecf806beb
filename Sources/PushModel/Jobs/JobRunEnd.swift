// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What an attempt at a run came to.
public struct JobRunEnd: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
        /// It was done.
        case succeeded

        /// It could not be done.
        case failed

        /// It was left out.
        case skipped(JobRun.Skip)
    }

    /// How it ended.
    public var outcome: Outcome

    /// How much was done since the run was advanced last.
    public var processed: Int

    /// What there is to say of it, as a text for people, or `nil`.
    public var message: String?

    /// The HTTP status with which a receiver answered, or `nil`.
    public var answerStatus: Int?

    /// The campaign that was made, or `nil`.
    public var campaign: CampaignID?

    /// Whether doing it again may help.
    public var isRepeatable: Bool

    /// Describes what an attempt came to.
    ///
    /// - Parameters:
    ///   - outcome: how it ended.
    ///   - processed: how much was done since the run was advanced last.
    ///   - message: what there is to say of it, or `nil`.
    ///   - answerStatus: the status with which a receiver answered, or `nil`.
    ///   - campaign: the campaign that was made, or `nil`.
    ///   - isRepeatable: whether doing it again may help.
    public init(
        _ outcome: Outcome,
        processed: Int = 0,
        message: String? = nil,
        answerStatus: Int? = nil,
        campaign: CampaignID? = nil,
        isRepeatable: Bool = true
    ) {
        self.outcome = outcome
        self.processed = processed
        self.message = message
        self.answerStatus = answerStatus
        self.campaign = campaign
        self.isRepeatable = isRepeatable
    }
}
