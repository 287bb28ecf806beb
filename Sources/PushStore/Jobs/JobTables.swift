// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel

/// What a store's tables do for jobs within one transaction, which is all that differs between stores.
///
/// What is done with it is written once, in the extensions. A job whose runs are made or ended is not changed by others
/// before the transaction ends.
package protocol JobTables {
    associatedtype Activities: ActivityTables

    /// The tables of activities in the same transaction.
    var activities: Activities { get }

    // MARK: Jobs

    /// The number of an app that has to exist.
    func number(ofApp app: AppID) throws -> Int64

    /// A job of an app, which nobody else changes, or `nil`.
    func jobRow(_ id: JobID, app: Int64) throws -> JobRow?

    /// Jobs that are due, those first that have waited longest; what others look at is passed over.
    ///
    /// One that cannot be read is left for an hour.
    func dueJobRows(of scope: JobScope, limit: Int, now: Date) throws -> [JobRow]

    /// How many jobs an app has.
    func jobCount(ofApp app: Int64) throws -> Int

    /// Adds a job.
    ///
    /// - Returns: its number.
    func insert(_ job: Job, app: Int64) throws -> Int64

    /// Writes back what changes about a job.
    func update(_ row: JobRow) throws

    // MARK: Runs

    /// The runs of a job that have not ended, in the order in which they were made.
    ///
    /// Those that cannot be read fail by this.
    func openRuns(ofJob number: Int64, now: Date) throws -> [JobRun]

    /// The youngest run of a job; `nil` where that cannot be read.
    func lastRun(ofJob number: Int64) throws -> JobRun?

    /// Adds a run.
    ///
    /// - Returns: its number; `nil` when there is a run of that id.
    func insert(_ run: JobRun, ofJob number: Int64) throws -> Int64?

    /// Writes back what changes about a run.
    func update(_ run: JobRun) throws

    /// Runs that may be begun or taken over, those first that have waited longest; what others look at is passed over.
    ///
    /// Those that cannot be read fail by this, and so do those whose job cannot. Of the former there is the job, without a
    /// run: another one may have waited for it.
    func claimableRuns(of scope: JobScope, limit: Int, now: Date) throws -> [(row: JobRow, run: JobRun?)]

    /// A run and its job, which nobody else changes, or `nil`.
    func run(_ id: JobRunID) throws -> (row: JobRow, run: JobRun)?

    /// Removes runs of a job that have ended and are more than are kept.
    func pruneRuns(ofJob number: Int64) throws

    // MARK: Work

    /// The numbers of the activities that fit a query but for what is in their content state, behind a number.
    func activityNumbers(
        fitting query: JobActivities,
        about time: Date,
        app: Int64,
        after place: Int64,
        limit: Int
    ) throws -> [Int64]

    /// Stores a campaign with the notification that it sends, unless there is one of that id.
    func create(_ campaign: Campaign, app: Int64, signalling changes: inout [StoreChange]) throws
}

extension JobTables {
    /// Makes a job or defines it anew; see ``JobStore/putJob(_:of:as:isPaused:now:)``.
    package func putJob(
        _ id: JobID,
        of app: AppID,
        as definition: JobDefinition,
        isPaused: Bool?,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> JobPutting {
        let number = try self.number(ofApp: app)
        if var row = try self.jobRow(id, app: number) {
            let isCode = row.job.definition.work == .code
            guard isCode == (definition.work == .code) else { return .refused(isCode ? .isCode : .isNotCode) }
            let wasPaused = row.job.isPaused
            row.job.define(definition, isPaused: isPaused, now: now)
            try self.update(row)
            if row.job.isPaused, !wasPaused { try self.leaveOutWaiting(row, now: now) }
            changes.append(.jobsDue)
            return .changed(try self.status(row))
        }
        guard try self.jobCount(ofApp: number) < Job.maximumPerApp else { return .refused(.tooMany) }
        let job = Job(id: id, app: app, definition: definition, isPaused: isPaused ?? false, now: now)
        _ = try self.insert(job, app: number)
        changes.append(.jobsDue)
        return .created(JobStatus(job: job, lastRun: nil))
    }

    /// Pauses a job; see ``JobStore/pauseJob(_:of:now:)``.
    package func pauseJob(_ id: JobID, of app: AppID, now: Date) throws -> JobStatus? {
        guard var row = try self.jobRow(id, app: self.number(ofApp: app)) else { return nil }
        if !row.job.isPaused {
            row.job.pause()
            try self.update(row)
            try self.leaveOutWaiting(row, now: now)
        }
        return try self.status(row)
    }

    /// Runs a job again; see ``JobStore/resumeJob(_:of:now:)``.
    package func resumeJob(
        _ id: JobID,
        of app: AppID,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> JobStatus? {
        guard var row = try self.jobRow(id, app: self.number(ofApp: app)) else { return nil }
        if row.job.isPaused {
            row.job.resume(now: now)
            try self.update(row)
            changes.append(.jobsDue)
        }
        return try self.status(row)
    }

    /// Makes a run now; see ``JobStore/runJob(_:of:now:)``.
    package func runJob(
        _ id: JobID,
        of app: AppID,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> JobRunning? {
        guard let row = try self.jobRow(id, app: self.number(ofApp: app)) else { return nil }
        let open = try self.openRuns(ofJob: row.number, now: now)
        if try self.callForgotten(open, of: row, now: now) { changes.append(.jobsDue) }
        guard row.job.hasRoom(beside: open.count) else { return .busy }
        let isFirst = open.isEmpty || row.job.definition.policy.overlap == .allow
        var run = JobRun(
            id: JobRunID(now: now),
            trigger: .hand,
            dueAt: now.keptToMilliseconds,
            claimableAt: isFirst ? now.keptToMilliseconds : nil
        )
        guard let number = try self.insert(run, ofJob: row.number) else { throw StoreError.taken("a run '\(run.id)'") }
        run.number = number
        changes.append(.jobsDue)
        return .made(run)
    }

    /// What waits for its turn by the schedule is left out.
    private func leaveOutWaiting(_ row: JobRow, now: Date) throws {
        for var run in try self.openRuns(ofJob: row.number, now: now)
        where run.state == .waiting && run.trigger == .schedule {
            run.leaveOut(as: .paused, now: now.keptToMilliseconds)
            try self.update(run)
        }
        try self.callNext(of: row, now: now)
    }

    private func status(_ row: JobRow) throws -> JobStatus {
        JobStatus(job: row.job, lastRun: try self.lastRun(ofJob: row.number))
    }
}
