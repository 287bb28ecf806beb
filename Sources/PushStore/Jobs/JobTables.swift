// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

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
