// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where a value stands in a request: `targets.tokens[3]`.
struct FieldPath: Hashable, Sendable, CustomStringConvertible {
    /// The path as it is told to the caller; empty for the whole body.
    let description: String

    /// The whole body.
    static let root = FieldPath(description: "")

    /// A parameter of the query: `query.limit`.
    static func query(_ name: String) -> FieldPath { FieldPath(description: "query.\(name)") }

    /// A parameter of the path: `path.app`.
    static func parameter(_ name: String) -> FieldPath { FieldPath(description: "path.\(name)") }

    /// A member of the object at this path.
    func member(_ name: String) -> FieldPath {
        FieldPath(description: self.description.isEmpty ? name : "\(self.description).\(name)")
    }

    /// An element of the array at this path.
    func element(_ index: Int) -> FieldPath {
        FieldPath(description: "\(self.description)[\(index)]")
    }

    /// How the value is called in a sentence.
    var label: String { self.description.isEmpty ? "body" : self.description }
}
