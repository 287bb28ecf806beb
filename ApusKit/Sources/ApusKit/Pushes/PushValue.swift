// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// A JSON value.
public enum PushValue: Sendable, Hashable, Codable {
    /// Nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int)
    /// Another number.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([PushValue])
    /// Values by name.
    case object([String: PushValue])

    /// Reads a value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([PushValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: PushValue].self))
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// What a plain `JSONEncoder` makes of a value, which is how ActivityKit reads and writes.
    init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(PushValue.self, from: JSONEncoder().encode(value))
    }
}
