// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One run of a job, or occurrences of its schedule that were left out.
public struct JobRun: Hashable, Sendable {
    /// What called for it.
    public enum Trigger: String, Hashable, Sendable, CaseIterable {
        /// The job's schedule.
        case schedule

        /// Somebody who asked for it.
        case hand
    }

    /// Where a run stands.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It waits for a scheduler, or for another run of the job to end.
        ///
        /// Can transition to: `running`, `skipped`.
        case waiting

        /// A scheduler has begun it.
        ///
        /// Can transition to: `succeeded`, `failed`; from one scheduler to another when the lease of the first lapses.
        case running

        /// It was done. Final.
        case succeeded

        /// It could not be done. Final.
        case failed

        /// It was left out. Final.
        case skipped

        /// Whether it has ended.
        public var isFinal: Bool { self != .waiting && self != .running }
    }

    /// Why a run was left out.
    public enum Skip: String, Hashable, Sendable, CaseIterable {
        /// Nobody ran it in time.
        case missed

        /// Another run had not ended.
        case overlap

        /// The job was paused before it began.
        case paused
    }

    /// The most characters of a message that are kept.
    public static let messageLength = 1000

    /// Names the run.
    public let id: JobRunID

    /// Its place among all runs of the job, in the order in which they were made; 0 for one that is not stored.
    public var number: Int64

    /// What called for it.
    public let trigger: Trigger

    /// When it was due by the schedule, or was asked for.
    public internal(set) var dueAt: Date

    /// For how many occurrences it stands: itself, and those that were missed or left out before it.
    public internal(set) var occurrences: Int

    /// Where it stands.
    public internal(set) var state: State

    /// How often a scheduler has begun it.
    public internal(set) var attempt: Int

    /// How often it was begun since something of it was done last.
    public internal(set) var setbacks: Int

    /// When it was begun first; spans of time are about that.
    public internal(set) var startedAt: Date?

    /// When it ended.
    public internal(set) var endedAt: Date?

    /// How much was done: activities that were changed, campaigns that were made, or what code counts.
    public internal(set) var processed: Int

    /// Where to go on.
    public internal(set) var place: Int64

    /// Why it was left out, or `nil`.
    public internal(set) var skip: Skip?

    /// What there is to say of it, as a text for people; at most ``messageLength`` characters.
    public internal(set) var message: String?

    /// The HTTP status with which a webhook's receiver answered.
    public internal(set) var answerStatus: Int?

    /// The campaign that it made.
    public internal(set) var campaign: CampaignID?

    /// Who holds its lease.
    public internal(set) var worker: WorkerID?

    /// Since when a scheduler may begin it, or from when on another one may take it over; `nil` when it has ended.
    public internal(set) var claimableAt: Date?

    /// Restores a run from its parts.
    ///
    /// - Parameters:
    ///   - id: its id.
    ///   - number: its place among all runs.
    ///   - trigger: what called for it.
    ///   - dueAt: when it was due.
    ///   - occurrences: for how many occurrences it stands.
    ///   - state: where it stands.
    ///   - attempt: how often it was begun.
    ///   - setbacks: how often it was begun since something of it was done last.
    ///   - startedAt: when it was begun first.
    ///   - endedAt: when it ended.
    ///   - processed: how much was done.
    ///   - place: where to go on.
    ///   - skip: why it was left out.
    ///   - message: what there is to say of it.
    ///   - answerStatus: the status with which a receiver answered.
    ///   - campaign: the campaign that it made.
    ///   - worker: who holds its lease.
    ///   - claimableAt: since when it may be begun, or from when on it may be taken over.
    public init(
        id: JobRunID,
        number: Int64,
        trigger: Trigger,
        dueAt: Date,
        occurrences: Int,
        state: State,
        attempt: Int,
        setbacks: Int,
        startedAt: Date?,
        endedAt: Date?,
        processed: Int,
        place: Int64,
        skip: Skip?,
        message: String?,
        answerStatus: Int?,
        campaign: CampaignID?,
        worker: WorkerID?,
        claimableAt: Date?
    ) {
        self.id = id
        self.number = number
        self.trigger = trigger
        self.dueAt = dueAt
        self.occurrences = occurrences
        self.state = state
        self.attempt = attempt
        self.setbacks = setbacks
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.processed = processed
        self.place = place
        self.skip = skip
        self.message = message
        self.answerStatus = answerStatus
        self.campaign = campaign
        self.worker = worker
        self.claimableAt = claimableAt
    }
}
