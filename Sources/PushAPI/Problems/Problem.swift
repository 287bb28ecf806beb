// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushStore

/// A request that is refused: one occurrence of a ``ProblemCode``.
struct Problem: Error, Sendable {
    let code: ProblemCode

    /// The details of this occurrence with its values; never a secret or a complete token.
    let detail: String

    /// The faults that were found, at most 20.
    let faults: [InvalidValueError]

    /// How many faults there are in all.
    let faultCount: Int

    /// The methods that the path knows, for `method_not_allowed`.
    let allow: [String]

    /// The error behind it, for the log.
    let cause: (any Error)?

    init(
        _ code: ProblemCode,
        _ detail: String,
        faults: [InvalidValueError] = [],
        faultCount: Int? = nil,
        allow: [String] = [],
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.detail = detail
        self.faults = faults
        self.faultCount = faultCount ?? faults.count
        self.allow = allow
        self.cause = cause
    }

    /// A refusal because of a single value.
    init(_ code: ProblemCode, at path: FieldPath, expected rule: String, got value: String) {
        let fault = InvalidValueError(field: path.label, rule: rule, value: value)
        self.init(code, fault.message, faults: [fault])
    }
}

extension Problem: CustomStringConvertible {
    var description: String { "\(self.code.rawValue): \(self.detail)" }
}

/// A problem in `application/problem+json` (RFC 9457).
struct ProblemResponse: Encodable {
    struct FieldError: Encodable {
        let field: String
        let expected: String
        let actual: String

        init(_ fault: InvalidValueError) {
            self.field = fault.field
            self.expected = fault.rule
            self.actual = fault.value
        }
    }

    let type: String
    let title: String
    let status: Int
    let code: String
    let detail: String
    let errors: [FieldError]?
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
        let faults = problem.faults.map(FieldError.init)
        self.errors = faults.isEmpty ? nil : faults
        self.errorCount = faults.isEmpty ? nil : problem.faultCount
    }
}

extension Problem {
    /// Creates the problem for a failure of the store.
    ///
    /// The store's message goes only to the log, because it may have file names of the server; the response has that of
    /// the catalogue.
    init(_ error: StoreError) {
        let code: ProblemCode =
            switch error.code {
            case .unavailable: .storeUnavailable
            case .locked: .storeLocked
            case .readOnly: .storeReadOnly
            case .full: .storeFull
            case .corrupt: .storeCorrupt
            // The API reads referenced records first, except the app, which may be deleted meanwhile.
            case .notFound: .appNotFound
            case .conflict: .conflict
            case .leaseLost, .invalid: .internalError
            }
        self.init(code, code.entry.meaning, cause: error)
    }
}
