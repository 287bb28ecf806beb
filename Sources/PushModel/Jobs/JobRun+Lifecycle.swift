// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JobRun {
    /// A run that waits to be begun.
    ///
    /// - Parameters:
    ///   - id: its id.
    ///   - trigger: what called for it.
    ///   - dueAt: when it is due.
    ///   - occurrences: for how many occurrences it stands.
    ///   - claimableAt: since when it may be begun; `nil` while it waits for other runs to end.
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
    ///
    /// - Parameters:
    ///   - worker: who asks.
    ///   - until: when the lease lapses.
    ///   - policy: the job's policies.
    ///   - now: when.
    /// - Returns: what it comes to.
    public mutating func claim(by worker: WorkerID, until: Date, policy: JobPolicy, now: Date) -> Claim {
        guard !self.state.isFinal, let claimableAt, claimableAt <= now else { return .refused }
        let isUntouched = self.processed == 0 && self.place == 0
        let lateness = now.timeIntervalSince(claimableAt)
        if self.trigger == .schedule, isUntouched, lateness > Double(policy.misfire.limit) {
            self.leaveOut(as: .missed, now: now)
            return .ended
        }
        let most = max(policy.retries + 1, Self.maximumSetbacks)
        guard self.setbacks < most else {
            self.end(
                JobRunEnd(.failed, message: "It was begun \(self.setbacks) times, and nobody told how it ended."),
                now: now
            )
            return .ended
        }
        self.state = .running
        self.attempt += 1
        self.setbacks += 1
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
        self.processed += count
        self.message = self.message ?? note.map { String($0.prefix(Self.messageLength)) }
        self.setbacks = 1
        self.claimableAt = until
    }

    /// Its lease holds longer.
    public mutating func extend(until: Date) { self.claimableAt = until }

    /// The worker gives it back, for another one to go on at once.
    public mutating func release(now: Date) {
        self.worker = nil
        self.setbacks = max(0, self.setbacks - 1)
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

    /// It is left out.
    public mutating func leaveOut(as reason: Skip, now: Date) {
        self.end(JobRunEnd(.skipped(reason)), now: now)
    }

    /// It stands for more occurrences, which were left out for the same reason.
    public mutating func absorb(_ count: Int, until occurrence: Date, now: Date) {
        self.occurrences += count
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
        self.processed += end.processed
        self.message = end.message.map { String($0.prefix(Self.messageLength)) } ?? self.message
        self.answerStatus = end.answerStatus
        self.campaign = end.campaign ?? self.campaign
        self.endedAt = now
        self.worker = nil
        self.claimableAt = nil
    }
}
