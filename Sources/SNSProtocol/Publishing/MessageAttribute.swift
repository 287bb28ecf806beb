// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// One attribute of a message: a type, and a text or bytes.
public struct MessageAttribute: Hashable, Sendable {
    /// What the value is.
    public enum Value: Hashable, Sendable {
        /// A text: of type `String`, `String.Array` or `Number`.
        case text(String)
        /// Bytes: of type `Binary`.
        case binary([UInt8])
    }

    /// The type as it was given: `String`, `String.Array`, `Number`, `Binary`, or one of these with `.suffix`.
    public let dataType: String
    /// The value.
    public let value: Value

    /// An attribute of a type that was checked before, from a store.
    public init(dataType: String, value: Value) {
        self.dataType = dataType
        self.value = value
    }

    /// The text, if the value is one.
    public var text: String? {
        if case .text(let text) = self.value { text } else { nil }
    }

    /// How many bytes the attribute adds to the size of a message, beside its name.
    var size: Int {
        switch self.value {
        case .text(let text): self.dataType.utf8.count + text.utf8.count
        case .binary(let bytes): self.dataType.utf8.count + bytes.count
        }
    }

    /// What filter policies see of it.
    var filterField: FilterValues.Field {
        guard let text = self.text else { return FilterValues.Field(exists: true, values: []) }
        let values: [JSONValue]
        if self.dataType == "String.Array" {
            if case .array(let elements)? = try? JSONValue(json: Array(text.utf8)) {
                values = elements
            } else {
                values = []
            }
        } else if MessageAttributeRule.prefix(of: self.dataType) == "Number" {
            values = MessageAttributeRule.number(text).map { [.double($0)] } ?? []
        } else {
            values = [.string(text)]
        }
        return FilterValues.Field(exists: true, values: values)
    }
}
