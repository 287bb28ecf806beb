// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A JSON value that came in.
enum JSONInput {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONInput])
    case object([String: JSONInput])

    /// The same value as it was read; a number without a fraction is an integer, however it is written.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(Int(value))
        case .double(let value): self = Int(exactly: value).map { .integer($0) } ?? .number(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map { JSONInput($0) })
        case .object(let members): self = .object(members.mapValues { JSONInput($0) })
        }
    }

    /// The same value for what the simulator keeps.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(Int64(value))
        case .number(let value): .double(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.json))
        case .object(let members): .object(members.mapValues(\.json))
        }
    }

    /// What kind of value it is, as a message says it.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
