// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// One run of a job, or skipped occurrences of its schedule.
public struct JobRun: Hashable, Sendable {
    /// The source of the run.
    public enum Trigger: String, Hashable, Sendable, CaseIterable {
        case schedule

        /// A request.
        case manual
    }

    /// The state of a run.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The run waits for a scheduler, or for another run of the job to end.
        ///
        /// Can transition to: `running`, `skipped`.
        case waiting

        /// A scheduler has claimed the run.
        ///
        /// Can transition to: `succeeded`, `failed`. When the lease expires, another scheduler claims it.
        case running

        /// The run succeeded. Final.
        case succeeded

        /// The run failed. Final.
        case failed

        /// The run was skipped. Final.
        case skipped

        public var isFinal: Bool { self != .waiting && self != .running }
    }

    /// Why a run was skipped.
    public enum Skip: String, Hashable, Sendable, CaseIterable {
        /// No scheduler started it in time.
        case missed

        /// Another run had not ended.
        case overlap

        /// The job was paused before the run started.
        case paused
    }

    /// The maximum number of characters of a stored message.
    public static let messageLength = 1000

    public let id: JobRunID

    /// Its number among all runs of the job, in the order of their creation; 0 if it is not stored.
    public var number: Int64

    public let trigger: Trigger

    /// When it was due by the schedule, or was requested.
    public internal(set) var dueAt: Date

    /// The number of occurrences that it represents: itself, and those that were missed or skipped before it.
    public internal(set) var occurrences: Int

    public internal(set) var state: State

    /// The number of attempts.
    public internal(set) var attempt: Int

    /// The number of attempts since the last progress.
    public internal(set) var setbacks: Int

    /// When the first attempt started; durations are measured from it.
    public internal(set) var startedAt: Date?

    public internal(set) var endedAt: Date?

    /// The amount of work done: updated activities, created campaigns, or the count of the code.
    public internal(set) var processedCount: Int

    /// The cursor at which the next step continues.
    public internal(set) var place: Int64

    public internal(set) var skip: Skip?

    /// A text for people, for example the error; at most ``messageLength`` characters.
    public internal(set) var message: String?

    /// The HTTP status of the webhook's response.
    public internal(set) var responseStatus: Int?

    public internal(set) var campaign: CampaignID?
    public internal(set) var worker: WorkerID?

    /// Since when a scheduler may claim it, or when its lease expires; `nil` when it has ended.
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
        processedCount: Int,
        place: Int64,
        skip: Skip?,
        message: String?,
        responseStatus: Int?,
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
        self.processedCount = processedCount
        self.place = place
        self.skip = skip
        self.message = message
        self.responseStatus = responseStatus
        self.campaign = campaign
        self.worker = worker
        self.claimableAt = claimableAt
    }
}

extension JobRun {
    /// Creates a waiting run; `claimableAt` is `nil` while it waits for other runs to end.
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
            processedCount: 0,
            place: 0,
            skip: nil,
            message: nil,
            responseStatus: nil,
            campaign: nil,
            worker: nil,
            claimableAt: claimableAt
        )
    }

    /// The result of a claim.
    public enum Claim: Hashable, Sendable {
        /// The worker has the lease until it expires.
        case granted

        /// The claim ended the run: it was not started in time, or had too many attempts.
        case ended

        /// The run cannot be claimed.
        case refused
    }

    /// Claims the run for a worker.
    public mutating func claim(by worker: WorkerID, until: Date, policy: JobPolicy, now: Date) -> Claim {
        guard !self.state.isFinal, let claimableAt, claimableAt <= now else { return .refused }
        let isUntouched = self.processedCount == 0 && self.place == 0
        let lateness = now.timeIntervalSince(claimableAt)
        if self.trigger == .schedule, isUntouched, lateness > Double(policy.misfire.limit) {
            self.leaveOut(as: .missed, now: now)
            return .ended
        }
        let most = max(policy.maxRetries.addingClamping(1), Self.maximumSetbacks)
        guard self.setbacks < most else {
            self.end(
                JobRunResult(
                    .failed,
                    message: """
                        \(self.setbacks) attempts started and none reported a result: the process ended each time. \
                        Read the logs of the scheduler, then start another run with `:run`.
                        """
                ),
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

    /// The maximum number of attempts without progress.
    static let maximumSetbacks = 10

    /// Whether a worker holds the lease that it got by an attempt.
    public func isHeld(by worker: WorkerID, attempt: Int) -> Bool {
        self.state == .running && self.worker == worker && self.attempt == attempt
    }

    /// Makes a waiting run claimable, because the runs before it have ended.
    public mutating func becomeClaimable(now: Date) {
        if self.state == .waiting, self.claimableAt == nil { self.claimableAt = now }
    }

    /// Records progress: the next attempt continues after it.
    public mutating func advance(to place: Int64, processed count: Int, note: String?, until: Date) {
        self.place = place
        self.processedCount.add(clamping: count)
        self.message = self.message ?? note.map { String($0.prefix(Self.messageLength)) }
        self.setbacks = 1
        self.claimableAt = until
    }

    public mutating func extend(until: Date) { self.claimableAt = until }

    /// Releases the lease, so that another worker can continue immediately.
    public mutating func release(now: Date) {
        self.worker = nil
        self.setbacks = max(1, self.setbacks) - 1
        self.claimableAt = now
    }

    /// Ends an attempt; a failed one is retried as often as the policy allows.
    public mutating func finish(_ end: JobRunResult, policy: JobPolicy, now: Date) {
        guard end.outcome == .failed, end.isRepeatable, self.setbacks <= policy.maxRetries else {
            return self.end(end, now: now)
        }
        self.worker = nil
        self.message = end.message.map { String($0.prefix(Self.messageLength)) }
        self.responseStatus = end.responseStatus
        self.claimableAt = now.addingTimeInterval(policy.delay(after: self.setbacks))
    }

    public mutating func leaveOut(as reason: Skip, now: Date) {
        self.end(JobRunResult(.skipped(reason)), now: now)
    }

    /// Adds occurrences that were skipped for the same reason.
    public mutating func absorb(_ count: Int, until occurrence: Date, now: Date) {
        self.occurrences.add(clamping: count)
        self.dueAt = occurrence
        self.endedAt = now
    }

    private mutating func end(_ end: JobRunResult, now: Date) {
        switch end.outcome {
        case .succeeded: self.state = .succeeded
        case .failed: self.state = .failed
        case .skipped(let reason):
            self.state = .skipped
            self.skip = reason
        }
        self.processedCount.add(clamping: end.processedCount)
        self.message = end.message.map { String($0.prefix(Self.messageLength)) } ?? self.message
        self.responseStatus = end.responseStatus
        self.campaign = end.campaign ?? self.campaign
        self.endedAt = now
        self.worker = nil
        self.claimableAt = nil
    }
}

/// The result of an attempt at a run.
public struct JobRunResult: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
        case succeeded
        case failed
        case skipped(JobRun.Skip)
    }

    public var outcome: Outcome

    /// How much was done since the run was advanced last.
    public var processedCount: Int

    public var message: String?
    public var responseStatus: Int?
    public var campaign: CampaignID?

    /// Whether doing it again may help.
    public var isRepeatable: Bool

    public init(
        _ outcome: Outcome,
        processedCount: Int = 0,
        message: String? = nil,
        responseStatus: Int? = nil,
        campaign: CampaignID? = nil,
        isRepeatable: Bool = true
    ) {
        self.outcome = outcome
        self.processedCount = processedCount
        self.message = message
        self.responseStatus = responseStatus
        self.campaign = campaign
        self.isRepeatable = isRepeatable
    }
}
