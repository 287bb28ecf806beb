// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A run of a job as it is written.
struct JobRunBody: Encodable {
    let id: String
    let trigger: String
    let dueAt: Date
    let state: String
    let occurrences: Int
    let attempts: Int
    let startedAt: Date?
    let endedAt: Date?
    let processed: Int
    let reason: String?
    let message: String?
    let answerStatus: Int?
    let campaign: String?

    init(_ run: JobRun) {
        self.id = run.id.description
        self.trigger = run.trigger.rawValue
        self.dueAt = run.dueAt
        self.state = run.state.rawValue
        self.occurrences = run.occurrences
        self.attempts = run.attempt
        self.startedAt = run.startedAt
        self.endedAt = run.endedAt
        self.processed = run.processed
        self.reason = run.skip?.rawValue
        self.message = run.message
        self.answerStatus = run.answerStatus
        self.campaign = run.campaign?.description
    }
}

/// A page of runs as it is written.
struct JobRunListBody: Encodable {
    let runs: [JobRunBody]
    let next: String?
}
