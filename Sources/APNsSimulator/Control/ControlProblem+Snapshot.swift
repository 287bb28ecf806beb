// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What is wrong with the document of a world.
extension ControlProblem {
    /// A document cannot be restored: the place in it and what should stand there.
    init(snapshot error: APNsSimulatorError) {
        switch error.cause {
        case let fault as SnapshotFault:
            self.init(.invalidValue, field: fault.path, rule: fault.rule, value: "something else")
        case let fault as DecodingError: self.init(decoding: fault)
        default: self.init(.invalidValue, field: "version", rule: "a snapshot of this simulator", value: error.message)
        }
    }

    private init(decoding error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            let field = Self.path(context.codingPath + [key])
            self.init(.missingField, field: field, rule: "to be present", value: "nothing")
        case .valueNotFound(_, let context):
            self.init(.wrongType, field: Self.path(context.codingPath), rule: "a value", value: "null")
        case .typeMismatch(_, let context):
            let rule = "a value of the type that a snapshot has there"
            self.init(.wrongType, field: Self.path(context.codingPath), rule: rule, value: "another type")
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else {
                self.init(.malformedJSON, field: "body", rule: "JSON (RFC 8259)", value: "something else")
                return
            }
            let rule = "a value that a snapshot has there"
            self.init(.invalidValue, field: Self.path(context.codingPath), rule: rule, value: "something else")
        @unknown default: self.init(.invalidValue, field: "body", rule: "a snapshot", value: "something else")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return path.isEmpty ? "body" : path
    }
}
