// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// One run of a job, or occurrences of its schedule that were left out.
public struct JobRun: Hashable, Sendable {
    /// What called for it.
    public enum Trigger: String, Hashable, Sendable, CaseIterable {
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

    public let id: JobRunID

    /// Its place among all runs of the job, in the order in which they were made; 0 for one that is not stored.
    public var number: Int64

    public let trigger: Trigger

    /// When it was due by the schedule, or was asked for.
    public internal(set) var dueAt: Date

    /// For how many occurrences it stands: itself, and those that were missed or left out before it.
    public internal(set) var occurrences: Int

    public internal(set) var state: State

    /// How often a scheduler has begun it.
    public internal(set) var attempt: Int

    /// How often it was begun since something of it was done last.
    public internal(set) var setbacks: Int

    /// When it was begun first; spans of time are about that.
    public internal(set) var startedAt: Date?

    public internal(set) var endedAt: Date?

    /// How much was done: activities that were changed, campaigns that were made, or what code counts.
    public internal(set) var processed: Int

    /// Where to go on.
    public internal(set) var place: Int64

    public internal(set) var skip: Skip?

    /// What there is to say of it, as a text for people; at most ``messageLength`` characters.
    public internal(set) var message: String?

    /// The HTTP status with which a webhook's receiver answered.
    public internal(set) var answerStatus: Int?

    public internal(set) var campaign: CampaignID?
    public internal(set) var worker: WorkerID?

    /// Since when a scheduler may begin it, or from when on another one may take it over; `nil` when it has ended.
    public internal(set) var claimableAt: Date?

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

extension JobRun {
    /// A run that waits to be begun; `claimableAt` is `nil` while it waits for other runs to end.
    public init(id: JobRunID, trigger: Trigger, dueAt: Date, occurrences: Int = 1, claimableAt: Date?) {
        self.init(
            id: id,
            number: 0,
            trigger: trigger,
            dueAt: dueAt,
            occurrences: occurrences,
            state: .waiting,
            attempt: 0,
            setbacks: 0,
            startedAt: nil,
            endedAt: nil,
            processed: 0,
            place: 0,
            skip: nil,
            message: nil,
            answerStatus: nil,
            campaign: nil,
            worker: nil,
            claimableAt: claimableAt
        )
    }

    /// What a claim comes to.
    public enum Claim: Hashable, Sendable {
        /// The run is the worker's until its lease lapses.
        case granted

        /// The run has ended by this: nobody began it in time, or it was begun too often.
        case ended

        /// The run cannot be begun.
        case refused
    }

    /// A worker asks for the run.
    public mutating func claim(by worker: WorkerID, until: Date, policy: JobPolicy, now: Date) -> Claim {
        guard !self.state.isFinal, let claimableAt, claimableAt <= now else { return .refused }
        let isUntouched = self.processed == 0 && self.place == 0
        let lateness = now.timeIntervalSince(claimableAt)
        if self.trigger == .schedule, isUntouched, lateness > Double(policy.misfire.limit) {
            self.leaveOut(as: .missed, now: now)
            return .ended
        }
        let most = max(policy.retries.addingClamping(1), Self.maximumSetbacks)
        guard self.setbacks < most else {
            self.end(
                JobRunEnd(.failed, message: "It was begun \(self.setbacks) times, and nobody told how it ended."),
                now: now
            )
            return .ended
        }
        self.state = .running
        self.attempt.add(clamping: 1)
        self.setbacks.add(clamping: 1)
        self.startedAt = self.startedAt ?? now
        if self.place == 0 { self.message = nil }
        self.worker = worker
        self.claimableAt = until
        return .granted
    }

    /// How often a run may be begun without anything being done.
    static let maximumSetbacks = 10

    /// Whether a worker holds the lease that it got by an attempt.
    public func isHeld(by worker: WorkerID, attempt: Int) -> Bool {
        self.state == .running && self.worker == worker && self.attempt == attempt
    }

    /// The runs before it have ended: whoever comes first may begin it.
    public mutating func becomeClaimable(now: Date) {
        if self.state == .waiting, self.claimableAt == nil { self.claimableAt = now }
    }

    /// Something of it was done: whoever takes it over goes on behind that.
    public mutating func advance(to place: Int64, processed count: Int, note: String?, until: Date) {
        self.place = place
        self.processed.add(clamping: count)
        self.message = self.message ?? note.map { String($0.prefix(Self.messageLength)) }
        self.setbacks = 1
        self.claimableAt = until
    }

    public mutating func extend(until: Date) { self.claimableAt = until }

    /// The worker gives it back, for another one to go on at once.
    public mutating func release(now: Date) {
        self.worker = nil
        self.setbacks = max(1, self.setbacks) - 1
        self.claimableAt = now
    }

    /// An attempt has come to its end; one that failed is repeated as often as the policy says.
    public mutating func finish(_ end: JobRunEnd, policy: JobPolicy, now: Date) {
        guard end.outcome == .failed, end.isRepeatable, self.setbacks <= policy.retries else {
            return self.end(end, now: now)
        }
        self.worker = nil
        self.message = end.message.map { String($0.prefix(Self.messageLength)) }
        self.answerStatus = end.answerStatus
        self.claimableAt = now.addingTimeInterval(policy.delay(after: self.setbacks))
    }

    public mutating func leaveOut(as reason: Skip, now: Date) {
        self.end(JobRunEnd(.skipped(reason)), now: now)
    }

    /// It stands for more occurrences, which were left out for the same reason.
    public mutating func absorb(_ count: Int, until occurrence: Date, now: Date) {
        self.occurrences.add(clamping: count)
        self.dueAt = occurrence
        self.endedAt = now
    }

    private mutating func end(_ end: JobRunEnd, now: Date) {
        switch end.outcome {
        case .succeeded: self.state = .succeeded
        case .failed: self.state = .failed
        case .skipped(let reason):
            self.state = .skipped
            self.skip = reason
        }
        self.processed.add(clamping: end.processed)
        self.message = end.message.map { String($0.prefix(Self.messageLength)) } ?? self.message
        self.answerStatus = end.answerStatus
        self.campaign = end.campaign ?? self.campaign
        self.endedAt = now
        self.worker = nil
        self.claimableAt = nil
    }
}

/// What an attempt at a run came to.
public struct JobRunEnd: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
        case succeeded
        case failed
        case skipped(JobRun.Skip)
    }

    public var outcome: Outcome

    /// How much was done since the run was advanced last.
    public var processed: Int

    public var message: String?
    public var answerStatus: Int?
    public var campaign: CampaignID?

    /// Whether doing it again may help.
    public var isRepeatable: Bool

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
