// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A problem as it is written: `application/problem+json` (RFC 9457).
struct ProblemBody: Encodable {
    struct Fault: Encodable {
        let field: String
        let rule: String
        let value: String

        init(_ fault: ValidationFailure) {
            self.field = fault.field
            self.rule = fault.rule
            self.value = fault.value
        }
    }

    let type: String
    let title: String
    let status: Int
    let code: String
    let detail: String
    let errors: [Fault]?
    let errorCount: Int?
    let requestID: String

    init(_ problem: Problem, requestID: String) {
        let entry = problem.code.entry
        self.type = "/problems/\(problem.code.rawValue)"
        self.title = entry.title
        self.status = entry.status
        self.code = problem.code.rawValue
        self.detail = problem.detail
        self.requestID = requestID
        let faults = problem.faults.map(Fault.init)
        self.errors = faults.isEmpty ? nil : faults
        self.errorCount = faults.isEmpty ? nil : problem.faultCount
    }
}
