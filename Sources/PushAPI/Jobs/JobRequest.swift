// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Cron
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a caller says of a job.
struct JobRequest: Sendable {
    static let members = [
        "schedule", "notification", "campaign", "activities", "webhook", "overlap", "misfire", "misfireWithin",
        "jitter", "retries", "deadline", "paused",
    ]

    /// How many seconds a receiver of a webhook has to answer, unless the caller says otherwise.
    private static let webhookDeadline = 10

    var schedule: Schedule
    var work: JobWorkDraft
    var policy: JobPolicy
    var isPaused: Bool?

    /// Reads the body of a request.
    ///
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8], app: AppID) throws(Problem) {
        var schedule: Schedule?
        var works: [JobWorkDraft?] = []
        var policy = JobPolicyDraft()
        var isPaused: Bool?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "schedule": schedule = try JobScheduleDraft.read(&reader, path)
            case "notification", "campaign", "activities", "webhook":
                works.append(try JobWorkDraft.read(member, &reader, path, app: app))
            case "paused": isPaused = try reader.boolean(path)
            default: try policy.read(member, &reader, path)
            }
        } finish: { reader in
            let found = reader.require(schedule, "schedule")
            guard works.count == 1 else {
                let names = JobWorkDraft.members.map { "'\($0)'" }.joined(separator: ", ")
                reader.faults.add(.root, expected: "exactly one of the members \(names)", got: "\(works.count)")
                return nil
            }
            guard let work = works[0] else { return nil }
            let deadline = if case .webhook = work { Self.webhookDeadline } else { JobPolicy().deadlineSeconds }
            let finished = policy.finish(&reader, deadline: deadline)
            return found.map { JobRequest(schedule: $0, work: work, policy: finished, isPaused: isPaused) }
        }
    }

    private init(schedule: Schedule, work: JobWorkDraft, policy: JobPolicy, isPaused: Bool?) {
        self.schedule = schedule
        self.work = work
        self.policy = policy
        self.isPaused = isPaused
    }
}
