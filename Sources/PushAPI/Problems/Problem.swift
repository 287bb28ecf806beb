// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A request that is refused: one occurrence of a ``ProblemCode``.
struct Problem: Error, Sendable {
    /// Which problem it is.
    let code: ProblemCode

    /// What happened this time, with the values involved; never a secret or a whole token.
    let detail: String

    /// The faults that were found, at most 20.
    let faults: [ValidationFailure]

    /// How many faults there are in all.
    let faultCount: Int

    /// The methods that the path knows, for `method_not_allowed`.
    let allow: [String]

    /// The error behind it, for the log.
    let cause: (any Error)?

    /// Describes a refusal.
    ///
    /// - Parameters:
    ///   - code: which problem it is.
    ///   - detail: what happened this time.
    ///   - faults: the faults that were found.
    ///   - faultCount: how many there are in all; as many as are listed where that is `nil`.
    ///   - allow: the methods that the path knows.
    ///   - cause: the error behind it.
    init(
        _ code: ProblemCode,
        _ detail: String,
        faults: [ValidationFailure] = [],
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
        let fault = ValidationFailure(field: path.label, rule: rule, value: value)
        self.init(code, fault.message, faults: [fault])
    }
}

extension Problem: CustomStringConvertible {
    /// The code and the detail.
    var description: String { "\(self.code.rawValue): \(self.detail)" }
}
