// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// How a job is run while it is read.
struct JobPolicyDraft {
    /// What becomes of occurrences that were missed.
    enum Misfire: String, CaseIterable {
        case once
        case each
        case skip
    }

    private var policy = JobPolicy()
    private var overlap: JobOverlap?
    private var misfire: Misfire?
    private var misfireWithin: Int?
    private var deadline: Int?

    /// Reads the value of one of the members; whatever is wrong is noted.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "overlap": self.overlap = try reader.oneOf(JobOverlap.self, path)
        case "misfire": self.misfire = try reader.oneOf(Misfire.self, path)
        case "misfireWithin": self.misfireWithin = try reader.integer(path, in: JobMisfire.limits)
        case "jitter": self.policy.jitterSeconds = try reader.integer(path, in: JobPolicy.jitters) ?? 0
        case "retries": self.policy.retries = try reader.integer(path, in: JobPolicy.retryLimits) ?? 0
        case "deadline": self.deadline = try reader.integer(path, in: JobPolicy.deadlines)
        default: try reader.skip()
        }
    }

    /// Notes what does not belong together.
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
