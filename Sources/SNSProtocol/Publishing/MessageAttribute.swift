// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// One attribute of a message: a type, and a text or bytes.
package struct MessageAttribute: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        /// A text: of type `String`, `String.Array` or `Number`.
        case text(String)
        /// Bytes: of type `Binary`.
        case binary([UInt8])
    }

    /// The type as it was given: `String`, `String.Array`, `Number`, `Binary`, or one of these with `.suffix`.
    package let dataType: String
    package let value: Value

    /// An attribute of a type that was checked before, from a store.
    package init(dataType: String, value: Value) {
        self.dataType = dataType
        self.value = value
    }

    package var text: String? {
        if case .text(let text) = self.value { text } else { nil }
    }

    /// How many bytes the attribute adds to the size of a message, beside its name.
    var size: Int {
        switch self.value {
        case .text(let text): self.dataType.utf8.count + text.utf8.count
        case .binary(let bytes): self.dataType.utf8.count + bytes.count
        }
    }

    /// The value for filter policies.
    var filterField: FilterValues.Field {
        guard let text = self.text else { return FilterValues.Field(exists: true, values: []) }
        let values: [JSONValue]
        if self.dataType == "String.Array" {
            switch try? JSONValue(json: Array(text.utf8)) {
            case .array(let elements)?: values = elements
            case .object?, nil: values = []
            case let single?: values = [single]
            }
        } else if MessageAttributeValidator.prefix(of: self.dataType) == "Number" {
            values = MessageAttributeValidator.number(text).map { [.double($0)] } ?? []
        } else {
            values = [.string(text)]
        }
        return FilterValues.Field(exists: true, values: values)
    }
}

/// The rules of message attributes, in SNS' words.
enum MessageAttributeValidator {
    /// The longest name, in bytes.
    static let maximumNameBytes = 256

    /// Reads the attributes of a message: `MessageAttributes.entry.N.Name`, `.Value.DataType`, `.Value.StringValue`.
    ///
    /// - Throws: ``SNSError`` `ParameterValueInvalid`, or `ValidationError` for a missing value.
    static func attributes(
        _ entries: [ParameterNode],
        path: String
    ) throws(SNSError) -> [String: MessageAttribute] {
        var attributes: [String: MessageAttribute] = [:]
        for (index, entry) in entries.enumerated() {
            guard let name = entry["Name"]?.value else { throw .missing(["\(path).\(index + 1).member.name"]) }
            try self.checkName(name)
            guard let value = entry["Value"] else { throw .missing(["\(path).\(name.cut).member"]) }
            guard let dataType = value["DataType"]?.value else {
                throw .missing(["\(path).\(name.cut).member.dataType"])
            }
            let attribute = try self.attribute(name: name, dataType: dataType, value)
            guard attributes.updateValue(attribute, forKey: name) == nil else {
                throw self.error("Message attribute name '\(name.cut)' is given twice.")
            }
        }
        return attributes
    }

    /// The part of a type before its first dot.
    static func prefix(of dataType: String) -> Substring { dataType.prefix { $0 != "." } }

    /// Parses a number; neither infinite nor in hexadecimal digits.
    static func number(_ text: String) -> Double? {
        let isDecimal = text.utf8.allSatisfy { ResourceName.isDigit($0) || "+-.eE".utf8.contains($0) }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    private static func attribute(
        name: String,
        dataType: String,
        _ value: ParameterNode
    ) throws(SNSError) -> MessageAttribute {
        // First, because a long one must not be compared; see `String.isStreamSafe`.
        guard dataType.utf8.count <= self.maximumNameBytes else {
            throw self.error("Length of message attribute type must be less than 256 bytes.")
        }
        let prefix = self.prefix(of: dataType)
        guard ["Binary", "Number", "String"].contains(prefix), dataType.utf8.count != prefix.utf8.count + 1 else {
            throw self.error(
                "The message attribute '\(name)' has an invalid message attribute type, the set of supported type"
                    + " prefixes is Binary, Number, and String."
            )
        }
        let (own, other) = prefix == "Binary" ? ("BinaryValue", "StringValue") : ("StringValue", "BinaryValue")
        guard let text = value[own]?.value, !text.isEmpty else {
            guard value[other]?.value?.isEmpty ?? true else {
                let field = prefix == "Binary" ? "Binary" : "String"
                throw self.error("The message attribute '\(name)' with type '\(dataType)' must use field '\(field)'.")
            }
            throw self.error(
                "The message attribute '\(name)' must contain non-empty message attribute value for message attribute"
                    + " type '\(dataType)'."
            )
        }
        guard prefix == "Binary" else {
            guard prefix != "Number" || self.number(text) != nil else {
                throw self.error("Could not cast message attribute '\(name)' value to number.")
            }
            return MessageAttribute(dataType: dataType, value: .text(text))
        }
        guard let bytes = Data(base64Encoded: text) else {
            throw self.error("The message attribute '\(name)' must have a value in Base64 in field 'Binary'.")
        }
        return MessageAttribute(dataType: dataType, value: .binary(Array(bytes)))
    }

    private static func checkName(_ name: String) throws(SNSError) {
        guard name.utf8.count <= self.maximumNameBytes else {
            throw self.error("Length of message attribute name must be less than 256 bytes.")
        }
        guard !name.isEmpty else { throw self.error("Message attribute name can not be empty.") }
        let isAllowed = { (scalar: Unicode.Scalar) in
            scalar == "." || scalar.isASCII && ResourceName.isWordByte(UInt8(scalar.value))
        }
        if let scalar = name.unicodeScalars.first(where: { !isAllowed($0) }) {
            throw self.error(
                "Invalid non-alphanumeric character '#x\(String(scalar.value, radix: 16, uppercase: true))' was found "
                    + "in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, "
                    + "or dots."
            )
        }
        if name.hasPrefix(".") {
            throw self.error("Invalid message attribute name starting with character '.' was found.")
        }
        if name.hasSuffix(".") {
            throw self.error("Invalid message attribute name ending with character '.' was found.")
        }
        if name.contains("..") { throw self.error("Message attribute name can not have successive '.' character.") }
    }

    private static func error(_ text: String) -> SNSError { SNSError(.parameterValueInvalid, text) }
}
