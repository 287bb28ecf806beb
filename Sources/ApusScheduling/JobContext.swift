// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is known of a run, and what it works with.
public struct JobContext: Sendable {
    /// The job.
    public let job: JobID

    /// The run: the same for every attempt at it, in every process.
    public let run: JobRunID

    /// What called for it.
    public let trigger: JobRun.Trigger

    /// When it was due by the schedule, or was asked for.
    public let dueAt: Date

    /// For how many occurrences it stands: itself, and those that were missed before it.
    public let occurrences: Int

    /// Which attempt it is, from 1.
    public let attempt: Int

    /// When the attempt is given up: its task is cancelled then.
    public let deadline: Date

    /// What the app's other parts do through the API: changing activities, sending.
    public let client: JobClient

    /// A logger that names the app, the job and the run.
    public let logger: Logger
}
