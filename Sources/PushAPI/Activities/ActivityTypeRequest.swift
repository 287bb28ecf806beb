// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import JSONSchema

/// A type of Live Activities that is to be registered.
struct ActivityTypeRequest: Sendable {
    static let members = ["contentState", "attributes"]

    var contentState: JSONSchema?
    var attributes: JSONSchema?

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var contentState: JSONSchema?
        var attributes: JSONSchema?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            if member == "contentState" {
                contentState = try Self.schema(&reader, path)
            } else {
                attributes = try Self.schema(&reader, path)
            }
        } finish: { _ in
            ActivityTypeRequest(contentState: contentState, attributes: attributes)
        }
    }

    private init(contentState: JSONSchema?, attributes: JSONSchema?) {
        self.contentState = contentState
        self.attributes = attributes
    }

    private static func schema(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> JSONSchema? {
        guard let bytes = try reader.rawObject(path) else { return nil }
        do {
            return try JSONSchema(json: bytes)
        } catch {
            for fault in error.faults {
                let place = fault.field.isEmpty ? path : path.member(fault.field)
                reader.faults.add(place, expected: fault.rule, got: fault.value)
            }
            return nil
        }
    }
}
