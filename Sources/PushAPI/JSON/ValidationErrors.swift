// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The faults that reading one request brought to light: the first few in full, the rest by number.
struct ValidationErrors: Sendable {
    /// The maximum number of errors in a response.
    static let maximumListed = 20

    private(set) var faults: [InvalidValueError] = []
    private(set) var count = 0
    private var codes: Set<ProblemCode> = []

    /// Notes a fault; the problem gets `code` if all faults have this code, otherwise `.invalidRequest`.
    mutating func add(_ fault: InvalidValueError, code: ProblemCode = .invalidRequest) {
        self.count += 1
        self.codes.insert(code)
        if self.faults.count < Self.maximumListed { self.faults.append(fault) }
    }

    mutating func add(_ path: FieldPath, expected rule: String, got value: String, code: ProblemCode = .invalidRequest)
    {
        self.add(InvalidValueError(field: path.label, rule: rule, value: value), code: code)
    }

    /// Records an error of a model type, under the path of the value in the request.
    mutating func add(_ failure: InvalidValueError, at path: FieldPath, code: ProblemCode = .invalidRequest) {
        self.add(path, expected: failure.rule, got: failure.value, code: code)
    }

    /// The problem that the faults amount to, or `nil` when there are none.
    var problem: Problem? {
        guard let first = self.faults.first else { return nil }
        let code = self.codes.count == 1 ? self.codes.first ?? .invalidRequest : .invalidRequest
        let rest = self.count == 1 ? "" : " (and \(self.count - 1) more)"
        return Problem(code, first.message + rest, faults: self.faults, faultCount: self.count)
    }

    /// Throws the ``problem`` if there is one.
    func check() throws(Problem) {
        if let problem = self.problem { throw problem }
    }
}

/// The path of a value in a request: `targets.tokens[3]`.
struct FieldPath: Hashable, Sendable, CustomStringConvertible {
    /// The path in the response; empty for the complete body.
    let description: String

    /// The whole body.
    static let root = FieldPath(description: "")

    /// A parameter of the query: `query.limit`.
    static func query(_ name: String) -> FieldPath { FieldPath(description: "query.\(name)") }

    /// A parameter of the path: `path.app`.
    static func parameter(_ name: String) -> FieldPath { FieldPath(description: "path.\(name)") }

    func member(_ name: String) -> FieldPath {
        FieldPath(description: self.description.isEmpty ? name : "\(self.description).\(name)")
    }

    func element(_ index: Int) -> FieldPath {
        FieldPath(description: "\(self.description)[\(index)]")
    }

    /// How the value is called in a sentence.
    var label: String { self.description.isEmpty ? "body" : self.description }
}
