// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Cron

/// When a job is run, what it does, and how.
public struct JobDefinition: Hashable, Sendable, Codable {
    /// When it is run.
    public var schedule: Schedule

    /// What it does.
    public var work: JobWork

    /// How it is run.
    public var policy: JobPolicy

    /// Takes when a job is run, what it does, and how.
    public init(schedule: Schedule, work: JobWork, policy: JobPolicy = JobPolicy()) {
        self.schedule = schedule
        self.work = work
        self.policy = policy
    }
}
