// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import PushModel

/// A request to put a job.
struct JobRequest: Sendable {
    static let members = [
        "schedule", "notification", "campaign", "activities", "webhook", "overlap", "misfire", "misfireGraceSeconds",
        "jitterSeconds", "maxRetries", "timeoutSeconds", "paused",
    ]

    /// How many seconds a receiver of a webhook has to answer, unless the caller says otherwise.
    private static let webhookTimeout = 10

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
            let timeout = if case .webhook = work { Self.webhookTimeout } else { JobPolicy().timeoutSeconds }
            let finished = policy.finish(&reader, timeout: timeout)
            return found.map { JobRequest(schedule: $0, work: work, policy: finished, isPaused: isPaused) }
        }
    }
}

/// The member `schedule` of a job while it is read.
enum JobScheduleParser {
    static let members = ["cron", "timeZone", "dstPolicy", "everySeconds", "from"]
    static let dstPolicyMembers = ["skippedTime", "repeatedTime"]

    /// Parses the object, and records errors.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> Schedule? {
        var cron: String?
        var zone: String?
        var dstPolicy: DSTPolicy?
        var every: Int?
        var start: Date?
        var names: [String] = []
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            names.append(member)
            switch member {
            case "cron": cron = try reader.string(path)
            case "timeZone": zone = try reader.string(path)
            case "dstPolicy": dstPolicy = try self.dstPolicy(&reader, path)
            case "everySeconds": every = try reader.integer(path, in: 1...31_622_400)
            default: start = try reader.value(path, Timestamp.parse)
            }
        }
        guard isObject, !reader.faults.concern(path) else { return nil }
        let isInterval = names.contains("everySeconds")
        let strangers = names.filter { ($0 == "everySeconds" || $0 == "from") != isInterval }
        guard strangers.isEmpty, isInterval || names.contains("cron") else {
            let rule =
                "either 'cron' with or without 'timeZone' and 'dstPolicy', or 'everySeconds' with or without 'from'"
            reader.faults.add(path, expected: rule, got: names.isEmpty ? "none of them" : names.joined(separator: ", "))
            return nil
        }
        do throws(InvalidValueError) {
            if let every {
                // Counted from 1970, so that putting it again is the same.
                return try .every(.seconds(every), from: start ?? Date(timeIntervalSince1970: 0))
            }
            return try .cron(cron ?? "", timeZone: zone ?? "UTC", dstPolicy: dstPolicy)
        } catch {
            // Faults of an expression name the field within it: `cron.hour`.
            let place = FieldPath(description: "\(path.description).\(error.field)")
            reader.faults.add(error, at: place)
            return nil
        }
    }

    private static func dstPolicy(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> DSTPolicy? {
        var skippedTime: DSTPolicy.SkippedTime?
        var repeatedTime: DSTPolicy.RepeatedTime?
        let isObject = try reader.object(path, members: self.dstPolicyMembers) {
            reader,
            member,
            path throws(JSONSyntaxError) in
            if member == "skippedTime" {
                skippedTime = try reader.oneOf(DSTPolicy.SkippedTime.self, path)
            } else {
                repeatedTime = try reader.oneOf(DSTPolicy.RepeatedTime.self, path)
            }
        }
        guard isObject, let skippedTime = reader.require(skippedTime, "skippedTime", at: path) else { return nil }
        return reader.require(repeatedTime, "repeatedTime", at: path)
            .map { DSTPolicy(skippedTime: skippedTime, repeatedTime: $0) }
    }
}

/// How a job is run while it is read.
struct JobPolicyParser {
    /// The policy for missed occurrences.
    enum Misfire: String, CaseIterable {
        case runOnce = "run_once"
        case runAll = "run_all"
        case skip
    }

    private var policy = JobPolicy()
    private var overlap: OverlapPolicy?
    private var misfire: Misfire?
    private var misfireGraceSeconds: Int?
    private var timeoutSeconds: Int?

    /// Parses the value of a member, and records errors.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "overlap": self.overlap = try reader.oneOf(OverlapPolicy.self, path)
        case "misfire": self.misfire = try reader.oneOf(Misfire.self, path)
        case "misfireGraceSeconds": self.misfireGraceSeconds = try reader.integer(path, in: JobMisfirePolicy.limits)
        case "jitterSeconds": self.policy.jitterSeconds = try reader.integer(path, in: JobPolicy.jitters) ?? 0
        case "maxRetries": self.policy.maxRetries = try reader.integer(path, in: JobPolicy.retryLimits) ?? 0
        case "timeoutSeconds": self.timeoutSeconds = try reader.integer(path, in: JobPolicy.timeouts)
        default: try reader.skip()
        }
    }

    /// Records errors about combinations of members.
    func finish(_ reader: inout JSONReader, timeout: Int) -> JobPolicy {
        var policy = self.policy
        policy.timeoutSeconds = self.timeoutSeconds ?? timeout
        if self.misfireGraceSeconds != nil, self.misfire == .skip {
            let rule = "no such member where 'misfire' is 'skip'"
            reader.faults.add(.root.member("misfireGraceSeconds"), expected: rule, got: "one")
        }
        if self.misfire == .runAll, self.overlap == .skip {
            let rule = "'buffer_one' or 'allow' where 'misfire' is 'run_all', so that each has its turn"
            reader.faults.add(.root.member("overlap"), expected: rule, got: "'skip'")
        }
        let limit = self.misfireGraceSeconds ?? policy.misfire.limit
        switch self.misfire {
        case nil, .runOnce: policy.misfire = .runOnce(within: limit)
        case .runAll: policy.misfire = .runAll(within: limit)
        case .skip: policy.misfire = .skip
        }
        policy.overlap = self.overlap ?? JobPolicy.overlap(beside: policy.misfire)
        return policy
    }
}
