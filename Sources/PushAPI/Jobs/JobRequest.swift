// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import PushModel

/// A request to put a job.
struct JobRequest: Sendable {
    static let members = [
        "schedule", "notification", "campaign", "activities", "webhook", "overlap", "misfire", "misfireWithin",
        "jitter", "retries", "deadline", "paused",
    ]

    /// How many seconds a receiver of a webhook has to answer, unless the caller says otherwise.
    private static let webhookDeadline = 10

    var schedule: Schedule
    var work: JobActionParser
    var policy: JobPolicy
    var isPaused: Bool?
}

extension JobRequest {
    /// Reads the body of a request.
    ///
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8], app: AppID) throws(Problem) {
        var schedule: Schedule?
        var works: [JobActionParser?] = []
        var policy = JobPolicyParser()
        var isPaused: Bool?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "schedule": schedule = try JobScheduleParser.read(&reader, path)
            case "notification", "campaign", "activities", "webhook":
                works.append(try JobActionParser.read(member, &reader, path, app: app))
            case "paused": isPaused = try reader.boolean(path)
            default: try policy.read(member, &reader, path)
            }
        } finish: { reader in
            let found = reader.require(schedule, "schedule")
            guard works.count == 1 else {
                let names = JobActionParser.members.map { "'\($0)'" }.joined(separator: ", ")
                reader.faults.add(.root, expected: "exactly one of the members \(names)", got: "\(works.count)")
                return nil
            }
            guard let work = works[0] else { return nil }
            let deadline = if case .webhook = work { Self.webhookDeadline } else { JobPolicy().deadlineSeconds }
            let finished = policy.finish(&reader, deadline: deadline)
            return found.map { JobRequest(schedule: $0, work: work, policy: finished, isPaused: isPaused) }
        }
    }
}

/// The member `schedule` of a job while it is read.
enum JobScheduleParser {
    static let members = ["cron", "timeZone", "clockChanges", "every", "from"]
    static let clockMembers = ["skipped", "repeated"]

    /// Parses the object, and records errors.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> Schedule? {
        var cron: String?
        var zone: String?
        var changes: DSTPolicy?
        var every: Int?
        var start: Date?
        var names: [String] = []
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            names.append(member)
            switch member {
            case "cron": cron = try reader.string(path)
            case "timeZone": zone = try reader.string(path)
            case "clockChanges": changes = try self.clockChanges(&reader, path)
            case "every": every = try reader.integer(path, in: 1...31_622_400)
            default: start = try reader.value(path, Timestamp.parse)
            }
        }
        guard isObject, !reader.faults.concern(path) else { return nil }
        let isInterval = names.contains("every")
        let strangers = names.filter { ($0 == "every" || $0 == "from") != isInterval }
        guard strangers.isEmpty, isInterval || names.contains("cron") else {
            let rule = "either 'cron' with or without 'timeZone' and 'clockChanges', or 'every' with or without 'from'"
            reader.faults.add(path, expected: rule, got: names.isEmpty ? "none of them" : names.joined(separator: ", "))
            return nil
        }
        do throws(InvalidValueError) {
            if let every {
                // Counted from 1970, so that putting it again is the same.
                return try .every(.seconds(every), from: start ?? Date(timeIntervalSince1970: 0))
            }
            return try .cron(cron ?? "", timeZone: zone ?? "UTC", clockChanges: changes)
        } catch {
            // Faults of an expression name the field within it: `cron.hour`.
            let place = FieldPath(description: "\(path.description).\(error.field)")
            reader.faults.add(error, at: place)
            return nil
        }
    }

    private static func clockChanges(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> DSTPolicy? {
        var skipped: DSTPolicy.Skipped?
        var repeated: DSTPolicy.Repeated?
        let isObject = try reader.object(path, members: self.clockMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            if member == "skipped" {
                skipped = try reader.oneOf(DSTPolicy.Skipped.self, path)
            } else {
                repeated = try reader.oneOf(DSTPolicy.Repeated.self, path)
            }
        }
        guard isObject, let skipped = reader.require(skipped, "skipped", at: path) else { return nil }
        return reader.require(repeated, "repeated", at: path).map { DSTPolicy(skipped: skipped, repeated: $0) }
    }
}

/// How a job is run while it is read.
struct JobPolicyParser {
    /// The policy for missed occurrences.
    enum Misfire: String, CaseIterable {
        case once
        case each
        case skip
    }

    private var policy = JobPolicy()
    private var overlap: OverlapPolicy?
    private var misfire: Misfire?
    private var misfireWithin: Int?
    private var deadline: Int?

    /// Parses the value of a member, and records errors.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "overlap": self.overlap = try reader.oneOf(OverlapPolicy.self, path)
        case "misfire": self.misfire = try reader.oneOf(Misfire.self, path)
        case "misfireWithin": self.misfireWithin = try reader.integer(path, in: JobMisfirePolicy.limits)
        case "jitter": self.policy.jitterSeconds = try reader.integer(path, in: JobPolicy.jitters) ?? 0
        case "retries": self.policy.retries = try reader.integer(path, in: JobPolicy.retryLimits) ?? 0
        case "deadline": self.deadline = try reader.integer(path, in: JobPolicy.deadlines)
        default: try reader.skip()
        }
    }

    /// Records errors about combinations of members.
    func finish(_ reader: inout JSONReader, deadline: Int) -> JobPolicy {
        var policy = self.policy
        policy.deadlineSeconds = self.deadline ?? deadline
        if self.misfireWithin != nil, self.misfire == .skip {
            let rule = "no such member where 'misfire' is 'skip'"
            reader.faults.add(.root.member("misfireWithin"), expected: rule, got: "one")
        }
        if self.misfire == .each, self.overlap == .skip {
            let rule = "'queue' or 'allow' where 'misfire' is 'each', so that each has its turn"
            reader.faults.add(.root.member("overlap"), expected: rule, got: "'skip'")
        }
        let limit = self.misfireWithin ?? policy.misfire.limit
        switch self.misfire {
        case nil, .once: policy.misfire = .once(within: limit)
        case .each: policy.misfire = .each(within: limit)
        case .skip: policy.misfire = .skip
        }
        policy.overlap = self.overlap ?? JobPolicy.overlap(beside: policy.misfire)
        return policy
    }
}
