// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

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
