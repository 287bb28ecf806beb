// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// What became of defining a job.
public enum JobPutting: Hashable, Sendable {
    /// It is new.
    case created(JobStatus)

    /// It was there, and is as it was defined now.
    case changed(JobStatus)

    /// It is as it was.
    case refused(JobRefusal)
}

/// Why a job is not defined.
public enum JobRefusal: Error, Hashable, Sendable {
    /// The app has as many jobs as it may have.
    case tooMany

    /// The job of this name is done by a program, and only that defines it.
    case isCode

    /// The job of this name is not done by a program.
    case isNotCode
}

/// What became of asking for a run.
public enum JobRunning: Hashable, Sendable {
    /// It is made, and done as soon as somebody comes to it.
    case made(JobRun)

    /// The job has as many open runs as its policy allows.
    case busy
}
